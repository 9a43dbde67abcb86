//! Log lines of many threads, written in few `write` calls, without a lock around the file.
//!
//! `cargo run --example merge`

use std::fs::File;
use std::io::{self, IoSlice, Write as _};
use std::thread;

use reveille::merge::{self, Batch, Close, MergeSender, Sent};

const THREADS: usize = 4;
const LINES: usize = 10_000;

fn main() -> io::Result<()> {
    let path = std::env::temp_dir().join(format!("reveille-merge-{}.log", std::process::id()));
    let mut file = File::create(&path)?;
    let sink = merge::sink_fn(move |_: &(), batch: &mut Batch<'_, String, (), _>| {
        let slices: Vec<_> =
            batch.messages().take(1024).map(|line| IoSlice::new(line.as_bytes())).collect();
        let whole = slices.iter().map(|slice| slice.len()).sum::<usize>();
        match file.write_vectored(&slices) {
            Ok(written) if written == whole => {}
            Ok(_) => return Err(io::ErrorKind::WriteZero),
            Err(error) => return Err(error.kind()),
        }
        batch.complete_all(drop);
        Ok(Sent::Done)
    });

    let sender = MergeSender::new(sink)?;
    thread::scope(|scope| {
        for id in 0..THREADS {
            let mut lane = sender.lane(());
            scope.spawn(move || {
                for n in 0..LINES {
                    lane.post(format!("thread {id}, line {n}\n")).expect("there is room");
                }
                // The last line wants to be sure.
                lane.submit(format!("thread {id}, end\n"))
                    .expect("there is room")
                    .wait()
                    .expect("it is written");
            });
        }
    });
    let stats = sender.stats();
    sender.close(Close::Drain);

    let lines = std::fs::read_to_string(&path)?.lines().count();
    std::fs::remove_file(&path)?;
    println!("{lines} lines in {} writes", stats.batches);
    assert_eq!(lines, THREADS * (LINES + 1));
    Ok(())
}
