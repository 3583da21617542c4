//! The viewer's server from outside: what it answers, and everything that it refuses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::folder::Folder;

/// A server that ends with its owner.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(folder: &Folder, arguments: &str) -> Server {
        let mut command = folder.command();
        command.arg("view").args(arguments.split_whitespace()).arg("--no-open");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let port = line.split("127.0.0.1:").nth(1).and_then(|rest| rest.split('/').next()?.parse().ok());
        Server { child, port: port.unwrap_or_else(|| panic!("no address in '{line}'")) }
    }

    /// Sends bytes as they are and gives status, head and body.
    fn send(&self, request: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head, answer[end + 4..].to_vec())
    }

    fn get(&self, path: &str) -> (u16, String, Vec<u8>) {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn recorded() -> Folder {
    let folder = Folder::new();
    folder.carom("run cradle --until 0.1 --no-plots --no-gltf").succeeds();
    folder.write("secret.txt", "not for the page");
    folder
}

#[test]
fn a_run_is_served_to_its_own_page() {
    let folder = recorded();
    let server = Server::start(&folder, "cradle");
    let (status, head, page) = server.get("/");
    assert_eq!(status, 200);
    assert!(head.contains("text/html") && head.contains("Content-Security-Policy: default-src 'none'"), "{head}");
    assert!(String::from_utf8(page).unwrap().starts_with("<!doctype html>"));
    let list: serde_json::Value = serde_json::from_slice(&server.get("/list.json").2).unwrap();
    assert_eq!((&list["kind"], &list["sides"][0]["label"]), (&"run".into(), &"cradle".into()));
    assert_eq!(list["files"]["0/run.json"], folder.read("cradle/run.json").len());
    for name in ["run.json", "motion/000000.arrow", "surfaces/000000.ply"] {
        let (status, _, bytes) = server.get(&format!("/data/0/{name}"));
        assert_eq!((status, bytes), (200, folder.read(&format!("cradle/{name}"))), "{name}");
    }
    let (status, _, nothing) =
        server.send(&format!("HEAD /data/0/run.json HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", server.port));
    assert_eq!((status, nothing.len()), (200, 0), "localhost is this machine, and HEAD has no body");
}

#[test]
fn a_part_of_a_file_is_served_where_it_is_asked_for() {
    let folder = recorded();
    let server = Server::start(&folder, "cradle");
    let whole = folder.read("cradle/motion/000000.arrow");
    let get = |range: &str| {
        let host = format!("Host: 127.0.0.1:{}", server.port);
        server.send(&format!("GET /data/0/motion/000000.arrow HTTP/1.1\r\n{host}\r\nRange: {range}\r\n\r\n"))
    };
    let (status, head, part) = get("bytes=6-99");
    assert_eq!((status, part), (206, whole[6..100].to_vec()));
    assert!(head.contains(&format!("Content-Range: bytes 6-99/{}", whole.len())), "{head}");
    assert_eq!(get("bytes=-6").2, b"ARROW1");
    let (status, head, _) = get(&format!("bytes={}-", whole.len()));
    assert!(status == 416 && head.contains(&format!("Content-Range: bytes */{}", whole.len())), "{head}");
    assert_eq!(get("bytes=0-1,4-5").0, 200, "several ranges give the whole");
}

#[test]
fn the_page_runs_its_own_script_only_and_stands_in_no_frame() {
    let folder = recorded();
    let server = Server::start(&folder, "cradle");
    let head = server.get("/").1;
    let policy = head.lines().find(|line| line.starts_with("Content-Security-Policy")).unwrap();
    assert!(!policy.contains("unsafe-inline") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(policy.contains("style-src 'sha256-"), "{policy}");
}

/// Every one of them could wait for the next byte of its request; others are answered all the same.
#[test]
fn slow_connections_keep_nobody_out() {
    let folder = recorded();
    let server = Server::start(&folder, "cradle");
    let slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
            let _ = stream.write_all(b"GET / HT");
            stream
        })
        .collect();
    for _ in 0..3 {
        assert_eq!(server.get("/list.json").0, 200);
    }
    drop(slow);
}

#[test]
fn a_request_that_comes_byte_by_byte_is_given_up() {
    let folder = recorded();
    let server = Server::start(&folder, "cradle");
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stream.set_nonblocking(true).unwrap();
    // Never silent for long: only a deadline for the whole request ends it.
    for byte in b"GET / HTTP/1.1\r\nX: ".iter().chain(std::iter::repeat(&b'a')).take(1_000) {
        let mut answer = [0; 64];
        match stream.read(&mut answer) {
            Ok(read) => {
                assert!(read == 0 || answer.starts_with(b"HTTP/1.1 408 "), "{}", String::from_utf8_lossy(&answer));
                return;
            }
            Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => return,
            Err(_) => {}
        }
        let _ = stream.write_all(&[*byte]);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("the server waits for ever");
}

#[test]
fn paths_out_of_the_folder_are_refused() {
    let folder = recorded();
    let server = Server::start(&folder, "cradle");
    for path in [
        "/../../etc/passwd",
        "/data/0/../secret.txt",
        "/data/0/..%2Fsecret.txt",
        "/data/0/%2e%2e/secret.txt",
        "/data/0//etc/passwd",
        "/data/0/motion/../../secret.txt",
        "/data/0/checkpoint.safetensors",
        "/data/1/run.json",
        "/data/",
        "/etc/passwd",
    ] {
        let (status, _, body) = server.get(path);
        assert_eq!(status, 404, "{path}");
        assert!(body.len() < 100, "{path}: {}", String::from_utf8_lossy(&body));
    }
}

#[test]
fn other_hosts_origins_and_methods_are_refused() {
    let folder = recorded();
    let server = Server::start(&folder, "cradle");
    let port = server.port;
    let ours = format!("127.0.0.1:{port}");
    for host in
        ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", &format!("127.0.0.1:{port}.evil.example")]
    {
        assert_eq!(server.send(&format!("GET /list.json HTTP/1.1\r\nHost: {host}\r\n\r\n")).0, 403, "{host}");
    }
    assert_eq!(server.send("GET /list.json HTTP/1.1\r\n\r\n").0, 403, "no host at all");
    for origin in ["http://evil.example", "null", "https://127.0.0.1:1", &format!("http://{ours}.evil.example")] {
        let request = format!("GET /list.json HTTP/1.1\r\nHost: {ours}\r\nOrigin: {origin}\r\n\r\n");
        assert_eq!(server.send(&request).0, 403, "{origin}");
    }
    let own = format!("GET /list.json HTTP/1.1\r\nHost: {ours}\r\nOrigin: http://{ours}\r\n\r\n");
    assert_eq!(server.send(&own).0, 200);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT"] {
        assert_eq!(server.send(&format!("{method} / HTTP/1.1\r\nHost: {ours}\r\n\r\n")).0, 405, "{method}");
    }
    assert_eq!(server.send("nonsense\r\n\r\n").0, 400);
}

#[test]
fn an_object_is_struck_where_the_page_asks() {
    let folder = Folder::new();
    folder.carom("bake bar --modes 6 --no-map --output bar.carom").succeeds();
    let server = Server::start(&folder, "bar.carom");
    let (status, _, body) = server.get("/strike?triangle=0&u=0.3&v=0.3");
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    let strike: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let restitution = strike["restitution"].as_f64().unwrap();
    assert!(restitution > 0.0 && restitution <= 1.0);
    // Energy is conserved: what does not come back rings or spins.
    let left = strike["modal_energy"].as_f64().unwrap() / strike["energy_before"].as_f64().unwrap();
    assert!((0.0..=1.0 - restitution * restitution + 1e-9).contains(&left), "{left} with restitution {restitution}");
    let series =
        |name: &str| strike["series"][name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<_>>();
    let (time, share) = (series("time"), series("impulse_share"));
    assert!(time.is_sorted() && share.is_sorted() && (share[share.len() - 1] - 1.0).abs() < 1e-9);
    for (query, reason) in [
        ("triangle=999999&u=0.3&v=0.3", "no triangle 999999"),
        ("triangle=x&u=0.3&v=0.3", "whole number"),
        ("triangle=0&u=nan&v=0", "expected a number"),
        ("triangle=0&u=2&v=0", "outside"),
        ("triangle=0", "u is missing"),
    ] {
        let (status, _, body) = server.get(&format!("/strike?{query}"));
        let body = String::from_utf8(body).unwrap();
        assert!(status == 422 && body.contains(reason), "{query}: {status} {body}");
    }
}

#[test]
fn what_cannot_be_shown_is_said_so() {
    let folder = recorded();
    folder.write("empty/notes.txt", "");
    folder.carom("view empty").fails(1, "not a recording");
    folder.carom("view nothing-of-that-name").fails(1, "nothing-of-that-name");
    folder.carom("view cradle cradle cradle").fails(2, "cradle");
    folder.carom("view cradle bar.carom").fails(1, "side by side");
}
