//! The server of the page: loopback only, GET only, only for this page, only what is shown.
//!
//! A page from elsewhere cannot read a run through the user's browser: its `Origin` is refused, and a name that was made to
//! point here is a foreign `Host`. A path is looked up in the list of what is shown, so that no path leads out of it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::analysis;
use super::http::{Request, Response};
use super::page;
use super::shown::Shown;

/// Connections at a time; a browser opens six.
const MOST_CONNECTIONS: usize = 64;

/// How long a silent connection is kept.
const PATIENCE: Duration = Duration::from_secs(10);

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
        let open = Arc::new(AtomicUsize::new(0));
        for stream in self.listener.incoming() {
            // A connection that failed before it began concerns nobody.
            let Ok(stream) = stream else { continue };
            if !stream.peer_addr().is_ok_and(|peer: SocketAddr| peer.ip().is_loopback()) {
                continue;
            }
            if open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                open.fetch_sub(1, Ordering::Relaxed);
                let _ = Response::refused(503, "too many connections").send(&stream, false);
                continue;
            }
            let (shown, port, open) = (self.shown.clone(), self.port, open.clone());
            std::thread::spawn(move || {
                // The other side may leave at any time; there is nobody to tell.
                let _ = converse(&stream, &shown, port);
                open.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }
}

fn converse(stream: &TcpStream, shown: &Shown, port: u16) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    match Request::read(stream)? {
        Some(request) => answer(&request, shown, port).send(stream, request.method == "HEAD"),
        None => Response::refused(400, "this is no request").send(stream, false),
    }
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
