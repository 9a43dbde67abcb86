//! Frames: length of what follows (4 bytes), id (8 bytes), payload. Little-endian.

use std::io::{self, Read};

const HEAD: usize = 12;

/// A frame of this id whose payload `fill` writes.
pub fn encode(id: u64, payload: usize, fill: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut frame = vec![0; HEAD + payload];
    frame[..4].copy_from_slice(&((8 + payload) as u32).to_le_bytes());
    frame[4..HEAD].copy_from_slice(&id.to_le_bytes());
    fill(&mut frame[HEAD..]);
    frame
}

/// The byte of a request's payload at this place.
pub fn request_byte(id: u64, place: usize) -> u8 {
    (id as u8).wrapping_mul(31).wrapping_add(place as u8)
}

/// What the server answers to that byte.
pub fn answer_byte(byte: u8) -> u8 {
    byte.rotate_left(3) ^ 0x5a
}

/// Reads frames through a buffer.
pub struct FrameReader<R> {
    from: R,
    buffer: Vec<u8>,
    /// What of the buffer was read and not given out.
    start: usize,
    end: usize,
}

impl<R: Read> FrameReader<R> {
    pub fn new(from: R) -> Self {
        Self { from, buffer: vec![0; 64 << 10], start: 0, end: 0 }
    }

    /// Waits for bytes, then calls `each` with the id and payload of every frame that is complete.
    /// `false`: the other side has closed.
    pub fn read_some(&mut self, mut each: impl FnMut(u64, &[u8])) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let read = match self.from.read(&mut self.buffer[self.end..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
            read => read?,
        };
        if read == 0 {
            return if self.end == 0 {
                Ok(false)
            } else {
                Err(io::ErrorKind::UnexpectedEof.into())
            };
        }
        self.end += read;
        while let Some((id, payload)) = frame(&self.buffer[self.start..self.end]) {
            each(id, payload);
            self.start += HEAD + payload.len();
        }
        Ok(true)
    }
}

/// The first frame, if it is complete.
fn frame(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
    let body = bytes.get(4..4 + length)?;
    Some((u64::from_le_bytes(body.get(..8)?.try_into().ok()?), &body[8..]))
}
