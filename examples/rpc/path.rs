//! The two write paths: all that the modes differ in.

use std::io::{self, IoSlice, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use reveille::merge::{Batch, Builder, Close, Lane, MergeSender, Sent, Sink, Stats};

/// Write system calls of one mode, client and server.
pub type Writes = Arc<AtomicU64>;

/// Messages that go out on one end of a connection.
pub trait WritePath: Clone + Send + 'static {
    const NAME: &'static str;

    /// What keeps the path open, to be closed at the end.
    type Owner: Send;

    fn start(stream: TcpStream, writes: Writes) -> io::Result<(Self::Owner, Self)>;

    /// Sends a message.
    fn send(&mut self, frame: Vec<u8>) -> io::Result<()>;

    /// Sends messages that are there together.
    fn send_all(&mut self, frames: Vec<Vec<u8>>) -> io::Result<()>;

    /// Batches so far, and the messages in them, and the largest.
    fn batches(owner: &Self::Owner) -> Option<Stats>;

    /// Sends what there is and ends.
    fn close(owner: Self::Owner);
}

/// One `write` per message, under a mutex, on the thread that has the message.
#[derive(Clone)]
pub struct Direct {
    stream: Arc<Mutex<TcpStream>>,
    writes: Writes,
}

impl WritePath for Direct {
    const NAME: &'static str = "direct";

    type Owner = ();

    fn start(stream: TcpStream, writes: Writes) -> io::Result<((), Self)> {
        Ok(((), Self { stream: Arc::new(Mutex::new(stream)), writes }))
    }

    fn send(&mut self, frame: Vec<u8>) -> io::Result<()> {
        let mut stream = self.stream.lock().expect("nothing panics while it writes");
        let mut rest = &frame[..];
        while !rest.is_empty() {
            self.writes.fetch_add(1, Ordering::Relaxed);
            match stream.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn send_all(&mut self, frames: Vec<Vec<u8>>) -> io::Result<()> {
        frames.into_iter().try_for_each(|frame| self.send(frame))
    }

    fn batches((): &()) -> Option<Stats> {
        None
    }

    fn close((): ()) {}
}

/// Messages gather in a lane, and a sender's thread writes them with one vectored write.
#[derive(Clone)]
pub struct Merged {
    lane: Lane<Wire>,
}

/// A vectored write takes at most so many slices (`IOV_MAX`).
const MOST_SLICES: usize = 1024;

pub struct Wire {
    stream: TcpStream,
    writes: Writes,
}

impl Sink for Wire {
    type Key = ();
    type Message = Vec<u8>;
    type Reply = ();
    type Error = io::ErrorKind;

    fn send(
        &mut self,
        (): &(),
        batch: &mut Batch<'_, Vec<u8>, (), io::ErrorKind>,
    ) -> Result<Sent, io::ErrorKind> {
        let mut slices: Vec<_> = batch.messages().map(|frame| IoSlice::new(frame)).collect();
        let mut rest = &mut slices[..];
        while !rest.is_empty() {
            self.writes.fetch_add(1, Ordering::Relaxed);
            match self.stream.write_vectored(rest) {
                Ok(written) => IoSlice::advance_slices(&mut rest, written),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The reader of this connection finds the same, and ends the calls.
                Err(error) => return Err(error.kind()),
            }
        }
        Ok(Sent::Done)
    }

    fn weigh(frame: &Vec<u8>) -> usize {
        frame.len()
    }
}

impl WritePath for Merged {
    const NAME: &'static str = "merged";

    type Owner = MergeSender<Wire>;

    fn start(stream: TcpStream, writes: Writes) -> io::Result<(Self::Owner, Self)> {
        let sender = Builder::new().max_batch(MOST_SLICES).spawn(Wire { stream, writes })?;
        let lane = sender.lane(());
        Ok((sender, Self { lane }))
    }

    fn send(&mut self, frame: Vec<u8>) -> io::Result<()> {
        self.lane.post(frame).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn send_all(&mut self, frames: Vec<Vec<u8>>) -> io::Result<()> {
        self.lane.post_all(frames).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn batches(owner: &Self::Owner) -> Option<Stats> {
        Some(owner.stats())
    }

    fn close(owner: Self::Owner) {
        owner.close(Close::Drain);
    }
}
