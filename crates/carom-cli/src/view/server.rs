//! The server of the page: loopback only, GET only, only for this page, only what is shown.
//!
//! A page from elsewhere cannot read a run through the user's browser: its `Origin` is refused, and a name that was made to
//! point here is a foreign `Host`. A path is looked up in the list of what is shown, so that no path leads out of it.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::analysis;
use super::http::{Deadline, Request, Response};
use super::page;
use super::shown::Shown;

/// Connections at a time; a browser opens six.
const MOST_CONNECTIONS: usize = 64;

/// A request has come within this time, or never.
const REQUEST_TIME: Duration = Duration::from_secs(5);

/// An answer has gone within [`REQUEST_TIME`] and the time that its bytes take at this rate, bytes per second.
const SLOWEST_RATE: f64 = 1e6;

/// A server that is bound to its port.
pub struct Server {
    listener: TcpListener,
    port: u16,
    shown: Arc<Shown>,
}

impl Server {
    /// Takes a port of the loopback interface; any that is free for 0.
    pub fn bind(shown: Shown, port: u16) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        Ok(Server { listener, port, shown: Arc::new(shown) })
    }

    /// Where the page is.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// What is shown.
    pub fn title(&self) -> String {
        self.shown.title()
    }

    /// Answers until the program ends.
    pub fn serve(&self) {
        let open = Arc::new(Connections::default());
        for stream in self.listener.incoming() {
            // A connection that failed before it began concerns nobody.
            let Ok(stream) = stream else { continue };
            if !stream.peer_addr().is_ok_and(|peer: SocketAddr| peer.ip().is_loopback()) {
                continue;
            }
            let Some(number) = open.enter(&stream) else {
                let _ = Response::refused(503, "too many connections").send(&stream, false);
                continue;
            };
            let (shown, port, open) = (self.shown.clone(), self.port, open.clone());
            std::thread::spawn(move || {
                // The other side may leave at any time; there is nobody to tell.
                let _ = converse(&stream, &shown, port, || open.is_answered(number));
                open.leave(number);
            });
        }
    }
}

/// The connections that are open, by the order in which they came. Those that have not sent their request yet make room for new
/// ones, so that slow ones do not keep others out.
#[derive(Default)]
struct Connections(Mutex<OpenConnections>);

#[derive(Default)]
struct OpenConnections {
    next: u64,
    /// With the stream of each whose request has not come yet.
    waiting: BTreeMap<u64, Option<TcpStream>>,
}

impl Connections {
    fn table(&self) -> MutexGuard<'_, OpenConnections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a connection in and gives it a number; none if all places are taken by requests that are being answered.
    fn enter(&self, stream: &TcpStream) -> Option<u64> {
        let mut table = self.table();
        let OpenConnections { next, waiting: open } = &mut *table;
        if open.len() >= MOST_CONNECTIONS {
            let oldest = open.iter().find_map(|(&number, waiting)| waiting.as_ref().map(|_| number))?;
            if let Some(Some(waiting)) = open.remove(&oldest) {
                let _ = waiting.shutdown(Shutdown::Both);
            }
        }
        let number = *next;
        *next += 1;
        open.insert(number, stream.try_clone().ok());
        Some(number)
    }

    /// Its request is there: it keeps its place until it is answered.
    fn is_answered(&self, number: u64) {
        if let Some(waiting) = self.table().waiting.get_mut(&number) {
            *waiting = None;
        }
    }

    fn leave(&self, number: u64) {
        self.table().waiting.remove(&number);
    }
}

fn converse(stream: &TcpStream, shown: &Shown, port: u16, has_come: impl Fn()) -> io::Result<()> {
    let read = Request::read(Deadline::after(stream, REQUEST_TIME));
    has_come();
    let (response, head_only) = match read {
        Ok(Some(request)) => (answer(&request, shown, port).part(&request), request.method == "HEAD"),
        Ok(None) => (Response::refused(400, "this is no request"), false),
        Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {
            (Response::refused(408, "the request took too long"), false)
        }
        Err(error) => return Err(error),
    };
    let time = REQUEST_TIME + Duration::from_secs_f64(response.body.len() as f64 / SLOWEST_RATE);
    response.send(Deadline::after(stream, time), head_only)
}

/// Answers a request that came in on a port.
fn answer(request: &Request, shown: &Shown, port: u16) -> Response {
    let ours = |host: &str| ["127.0.0.1", "localhost"].iter().any(|name| *host == format!("{name}:{port}"));
    if !request.host.as_deref().is_some_and(ours) {
        return Response::refused(403, "this page is for this machine only: the host is another");
    }
    if request.origin.as_deref().is_some_and(|origin| !origin.strip_prefix("http://").is_some_and(ours)) {
        return Response::refused(403, "this page answers itself only: the request comes from another");
    }
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        return Response::refused(405, "only GET is answered");
    }
    match request.path.as_str() {
        "/" | "/index.html" => Response::ok("text/html; charset=utf-8", page::PAGE),
        "/list.json" => Response::ok("application/json", shown.list(true).to_string()),
        "/strike" => match analysis::strike(shown, request) {
            Ok(value) => Response::ok("application/json", value.to_string()),
            Err(reason) => Response::refused(422, &reason),
        },
        path => match path.strip_prefix("/data/").and_then(|name| shown.read(name)) {
            Some(Ok(bytes)) => Response::ok("application/octet-stream", bytes),
            Some(Err(error)) => Response::refused(500, &format!("cannot read it: {error}")),
            None => Response::refused(404, "nothing of that name is shown"),
        },
    }
}
