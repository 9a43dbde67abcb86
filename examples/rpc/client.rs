//! The client: caller threads that keep calls open, and a reader that ends them.

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use reveille::merge::Stats;
use reveille::oneshot::Ticket;
use reveille::parker::WakeBatch;
use reveille::{Adaptive, Deadline};

use crate::Error;
use crate::args::Args;
use crate::measure::{Histogram, Usage};
use crate::path::{WritePath, Writes};
use crate::report::Sample;
use crate::server;
use crate::slots::{Checked, Slots};
use crate::wire::{FrameReader, answer_byte, encode, request_byte};

/// A reply that takes longer is lost.
const PATIENCE: Duration = Duration::from_secs(10);

pub struct Client<P: WritePath> {
    stream: TcpStream,
    owner: P::Owner,
    path: P,
    slots: Arc<Slots>,
    writes: Writes,
    reader: JoinHandle<io::Result<()>>,
    server: JoinHandle<io::Result<()>>,
    callers: usize,
    inflight: usize,
    payload: usize,
}

impl<P: WritePath> Client<P> {
    /// A connection to a server of its own.
    pub fn connect(args: &Args) -> Result<Self, Error> {
        let writes = Writes::default();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let stream = TcpStream::connect(listener.local_addr()?)?;
        stream.set_nodelay(true)?;
        let server = server::serve::<P>(listener.accept()?.0, writes.clone())?;
        let (owner, path) = P::start(stream.try_clone()?, writes.clone())?;
        let slots = Arc::new(Slots::new(args.callers * args.inflight));
        let reader = thread::Builder::new().name("reader".into()).spawn({
            let stream = stream.try_clone()?;
            let slots = slots.clone();
            move || {
                let ended = read_replies(stream, &slots);
                slots.fail_all();
                ended
            }
        })?;
        Ok(Self {
            stream,
            owner,
            path,
            slots,
            writes,
            reader,
            server,
            callers: args.callers,
            inflight: args.inflight,
            payload: args.payload,
        })
    }

    /// Lets all callers call for so long.
    pub fn call_for(&self, length: Duration) -> Result<Sample, Error> {
        let stop = AtomicBool::new(false);
        let calls = AtomicU64::new(0);
        let begin = (Usage::now(), self.writes.load(Ordering::Relaxed), self.batches());
        let started = Instant::now();
        let latencies = thread::scope(|scope| {
            let callers: Vec<_> = (0..self.callers)
                .map(|number| {
                    let caller = Caller {
                        path: self.path.clone(),
                        slots: &self.slots,
                        first_slot: number * self.inflight,
                        inflight: self.inflight,
                        payload: self.payload,
                        policy: Adaptive::new(),
                    };
                    let (stop, calls) = (&stop, &calls);
                    scope.spawn(move || caller.run(stop, calls))
                })
                .collect();
            thread::sleep(length);
            stop.store(true, Ordering::Relaxed);
            let mut all = Histogram::new();
            let mut first_error = None;
            for caller in callers {
                match caller.join().expect("callers do not panic") {
                    Ok(latencies) => all.merge(&latencies),
                    Err(error) => first_error = first_error.or(Some(error)),
                }
            }
            first_error.map_or(Ok(all), Err)
        })?;
        let elapsed = started.elapsed();
        let batches = self.batches();
        Ok(Sample {
            calls: calls.load(Ordering::Relaxed),
            elapsed,
            latencies,
            writes: self.writes.load(Ordering::Relaxed) - begin.1,
            usage: Usage::now() - begin.0,
            batches: batches.batches - begin.2.batches,
            messages: batches.messages - begin.2.messages,
            largest_batch: batches.largest_batch,
        })
    }

    /// The client's batches; the server's are alike.
    fn batches(&self) -> Stats {
        P::batches(&self.owner).unwrap_or_default()
    }

    /// Closes the connection and waits for its threads.
    pub fn close(self) -> Result<(), Error> {
        drop(self.path);
        P::close(self.owner);
        self.stream.shutdown(Shutdown::Write)?;
        self.server.join().expect("the server does not panic")?;
        self.stream.shutdown(Shutdown::Both).ok();
        self.reader.join().expect("the reader does not panic")?;
        Ok(())
    }
}

/// Ends calls as their replies come.
fn read_replies(stream: TcpStream, slots: &Slots) -> io::Result<()> {
    let mut reader = FrameReader::new(stream);
    // Callers run when all replies of a read have been dealt with.
    let mut wakes = WakeBatch::<64>::new();
    let mut stray = 0;
    while reader.read_some(|id, payload| {
        let right = payload
            .iter()
            .enumerate()
            .all(|(place, &byte)| byte == answer_byte(request_byte(id, place)));
        let checked: Checked = if right { Ok(()) } else { Err(format!("a wrong reply to {id:x}")) };
        match slots.take(id) {
            Some(call) => drop(call.complete_into(checked, &mut wakes)),
            None => stray += 1,
        }
        if wakes.is_full() {
            wakes.wake_all();
        }
    })? {
        wakes.wake_all();
        if stray > 0 {
            return Err(io::Error::other(format!("{stray} replies that nobody waits for")));
        }
    }
    Ok(())
}

struct Caller<'a, P> {
    path: P,
    slots: &'a Slots,
    first_slot: usize,
    inflight: usize,
    payload: usize,
    policy: Adaptive,
}

impl<P: WritePath> Caller<'_, P> {
    /// Keeps its calls open until it is told to stop, and then ends them.
    fn run(mut self, stop: &AtomicBool, calls: &AtomicU64) -> Result<Histogram, String> {
        let mut latencies = Histogram::new();
        let mut open = VecDeque::new();
        for slot in self.first_slot..self.first_slot + self.inflight {
            open.push_back(self.call(slot)?);
        }
        while let Some((slot, begun, mut ticket)) = open.pop_front() {
            ticket
                .wait_with(Deadline::after(PATIENCE), &mut self.policy)
                .map_err(|error| format!("a lost reply: {error}"))??;
            latencies.record(begun.elapsed());
            calls.fetch_add(1, Ordering::Relaxed);
            if !stop.load(Ordering::Relaxed) {
                open.push_back(self.call(slot)?);
            }
        }
        Ok(latencies)
    }

    fn call(&mut self, slot: usize) -> Result<(usize, Instant, Ticket<Checked>), String> {
        let begun = Instant::now();
        let (id, ticket) = self.slots.open(slot);
        let frame = encode(id, self.payload, |payload| {
            for (place, byte) in payload.iter_mut().enumerate() {
                *byte = request_byte(id, place);
            }
        });
        self.path.send(frame).map_err(|error| format!("a request was not sent: {error}"))?;
        Ok((slot, begun, ticket))
    }
}
