//! Models of the batch sender with its own thread: `src/integrations/merge`, compiled over loom.

use loom::thread;
use reveille_model::merge::{self, Batch, CallError, Close, MergeSender, Sent};

use crate::harness::Model;

fn sender() -> MergeSender<impl merge::Sink<Key = (), Message = u32, Reply = u32, Error = ()>> {
    let sink = merge::sink_fn(|_: &(), batch: &mut Batch<'_, u32, u32, ()>| {
        batch.complete_all(|message| message + 1);
        Ok(Sent::Done)
    });
    MergeSender::new(sink).unwrap()
}

/// A message that comes while the thread falls asleep is sent: no timeout would help it.
#[test]
fn nothing_is_stranded() {
    Model::bounded(1, 18_000).check(|| {
        let sender = sender();
        let mut lane = sender.lane(());
        assert_eq!(lane.submit(1).unwrap().wait(), Ok(2));
        assert_eq!(lane.submit(2).unwrap().wait(), Ok(3));
        drop(lane);
        sender.close(Close::Drain);
    });
}

/// Close against a call: it is answered or comes back, once.
#[test]
fn close_against_call() {
    Model::bounded(1, 3000).check(|| {
        let sender = sender();
        let mut lane = sender.lane(());
        let caller = thread::spawn(move || match lane.submit(1) {
            Ok(ticket) => match ticket.wait() {
                Ok(reply) => assert_eq!(reply, 2),
                Err(CallError::Unsent(message)) => assert_eq!(message, 1),
                Err(other) => panic!("{other:?}"),
            },
            Err(error) => assert_eq!(error.into_inner(), 1),
        });
        sender.close(Close::Abort);
        caller.join().unwrap();
    });
}
