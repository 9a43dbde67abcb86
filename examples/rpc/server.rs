//! The server: reads frames, answers each, sends the answers.

use std::io;
use std::net::TcpStream;
use std::thread::{self, JoinHandle};

use crate::path::{WritePath, Writes};
use crate::wire::{FrameReader, answer_byte, encode};

/// Serves one connection until the client closes it.
pub fn serve<P: WritePath>(
    stream: TcpStream,
    writes: Writes,
) -> io::Result<JoinHandle<io::Result<()>>> {
    stream.set_nodelay(true)?;
    let (owner, mut path) = P::start(stream.try_clone()?, writes)?;
    thread::Builder::new().name("server".into()).spawn(move || {
        let mut reader = FrameReader::new(stream);
        loop {
            let mut answers = Vec::new();
            let open = reader.read_some(|id, payload| {
                answers.push(encode(id, payload.len(), |answer| {
                    for (to, from) in answer.iter_mut().zip(payload) {
                        *to = answer_byte(*from);
                    }
                }));
            })?;
            if !open {
                break;
            }
            if !answers.is_empty() {
                path.send_all(answers)?;
            }
        }
        drop(path);
        P::close(owner);
        Ok(())
    })
}
