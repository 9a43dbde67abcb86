//! A reactor that waits in `epoll`, for its sockets and for whoever unparks it.
//!
//! The slot lives in the reactor. While it waits elsewhere it says so (`begin_external_wait`), and an
//! unpark rings it there, through an eventfd; while it runs, an unpark makes no system call.
//!
//! `cargo run --example reactor` (Linux)

#[cfg(target_os = "linux")]
fn main() -> std::io::Result<()> {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("epoll is Linux's");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::{self, Read as _, Write as _};
    use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::thread;

    use reveille::basket::{Drainer, Unbounded};
    use reveille::parker::{ClaimSlot, HasParkSlot};
    use reveille::{Basket, Parker, Unparker};

    /// What others may reach of a reactor: its slot and its bell.
    struct Shared {
        slot: ClaimSlot,
        bell: File,
    }

    impl HasParkSlot for Shared {
        fn park_slot(&self) -> &ClaimSlot {
            &self.slot
        }

        fn ring(&self) {
            (&self.bell).write_all(&1_u64.to_ne_bytes()).expect("an eventfd takes a one");
        }
    }

    struct Reactor {
        shared: Arc<Shared>,
        parker: Parker<Arc<Shared>>,
        epoll: OwnedFd,
        commands: Drainer<String, Unbounded>,
    }

    const BELL: u64 = 0;
    const SOCKET: u64 = 1;

    fn owned(fd: libc::c_int) -> io::Result<OwnedFd> {
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was just opened and nobody else has it.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }

    impl Reactor {
        fn new(commands: Drainer<String, Unbounded>) -> io::Result<Self> {
            // SAFETY: no preconditions.
            let bell = owned(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) })?;
            // SAFETY: no preconditions.
            let epoll = owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
            let shared = Arc::new(Shared { slot: ClaimSlot::new(), bell: bell.into() });
            let parker = Parker::claim(Arc::clone(&shared)).expect("the slot is new");
            let reactor = Self { shared, parker, epoll, commands };
            reactor.watch(reactor.shared.bell.as_raw_fd(), BELL)?;
            Ok(reactor)
        }

        fn watch(&self, fd: libc::c_int, token: u64) -> io::Result<()> {
            let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: token };
            let epoll = self.epoll.as_raw_fd();
            // SAFETY: the event is valid, the descriptors are open.
            match unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &raw mut event) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        }

        /// The token of something that is ready; `None` after an unpark.
        fn wait(&mut self) -> io::Result<Option<u64>> {
            // An unpark before this moment: there is a token, and no need to wait.
            let Some(wait) = self.parker.begin_external_wait() else {
                return Ok(None);
            };
            let mut event = libc::epoll_event { events: 0, u64: 0 };
            // SAFETY: room for one event.
            let count = unsafe { libc::epoll_wait(self.epoll.as_raw_fd(), &raw mut event, 1, -1) };
            // Its token is taken now; if it came this late, its ring ends the next wait.
            wait.finish();
            let token = event.u64;
            match (count, token) {
                (..0, _) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {
                    Ok(None)
                }
                (..0, _) => Err(io::Error::last_os_error()),
                (_, BELL) => {
                    (&self.shared.bell).read_exact(&mut [0; 8])?;
                    Ok(None)
                }
                _ => Ok(Some(token)),
            }
        }
    }

    pub fn main() -> io::Result<()> {
        let (mut commands, inbox) = Basket::unbounded();
        let mut reactor = Reactor::new(inbox)?;
        let (mut socket, mut peer) = UnixStream::pair()?;
        reactor.watch(socket.as_raw_fd(), SOCKET)?;

        // One thread writes to the socket, the other one sends commands.
        let writer = thread::spawn(move || peer.write_all(&[7; 100]));
        let unparker = Unparker::of(Arc::clone(&reactor.shared));
        let commander = thread::spawn(move || {
            for n in 0..100 {
                commands.offer(format!("command {n}")).expect("the reactor is there");
                unparker.unpark();
            }
        });

        let (mut bytes, mut done) = (0, 0);
        while bytes < 100 || done < 100 {
            if reactor.wait()? == Some(SOCKET) {
                bytes += socket.read(&mut [0; 64])?;
            }
            done += reactor.commands.drain().count();
        }
        writer.join().expect("it does not panic")?;
        commander.join().expect("it does not panic");
        println!("{bytes} bytes and {done} commands on one thread");
        Ok(())
    }
}
