//! As much of HTTP/1.1 as the page needs: the head of a request comes in, one response goes out, the connection ends.
//!
//! Sizes and times are bounded; what is not understood is refused with a status that says why.

use std::io::{self, BufRead, BufReader, Read, Write};

/// Bytes of the head of a request at most.
const LONGEST_HEAD: u64 = 16 * 1024;

/// The head of a request.
#[derive(Debug, Default, PartialEq)]
pub struct Request {
    pub method: String,
    /// As it was sent, without what follows a question mark.
    pub path: String,
    /// Pairs after the question mark.
    pub query: Vec<(String, String)>,
    pub host: Option<String>,
    pub origin: Option<String>,
}

impl Request {
    /// Reads the head; none if it is not one.
    pub fn read(stream: impl Read) -> io::Result<Option<Request>> {
        let mut lines = BufReader::new(stream.take(LONGEST_HEAD));
        let mut line = String::new();
        lines.read_line(&mut line)?;
        let mut words = line.split_ascii_whitespace();
        let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
            return Ok(None);
        };
        if !version.starts_with("HTTP/1.") || !line.ends_with('\n') {
            return Ok(None);
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let mut request = Request {
            method: method.into(),
            path: path.into(),
            query: pairs.map(|(key, value)| (key.into(), value.into())).collect(),
            ..Request::default()
        };
        loop {
            let mut line = String::new();
            lines.read_line(&mut line)?;
            if !line.ends_with('\n') {
                return Ok(None);
            }
            let line = line.trim_end();
            if line.is_empty() {
                return Ok(Some(request));
            }
            let Some((name, value)) = line.split_once(':') else { return Ok(None) };
            let header = match name.to_ascii_lowercase().as_str() {
                "host" => &mut request.host,
                "origin" => &mut request.origin,
                _ => continue,
            };
            // Two hosts in one request are an attempt to be two things at once.
            if header.replace(value.trim().to_owned()).is_some() {
                return Ok(None);
            }
        }
    }

    /// The value of a key after the question mark.
    pub fn query(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// What is answered.
pub struct Response {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
}

impl Response {
    pub fn ok(kind: &'static str, body: impl Into<Vec<u8>>) -> Response {
        Response { status: 200, kind, body: body.into() }
    }

    /// A refusal, with its reason as text.
    pub fn refused(status: u16, reason: &str) -> Response {
        Response { status, kind: "text/plain; charset=utf-8", body: format!("{reason}\n").into_bytes() }
    }

    /// Sends it; without the body if only the head was asked for.
    pub fn send(&self, mut stream: impl Write, head_only: bool) -> io::Result<()> {
        let phrase = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            422 => "Unprocessable Content",
            503 => "Service Unavailable",
            _ => "Internal Server Error",
        };
        // The page holds its own script and style and speaks with nobody else.
        let head = format!(
            "HTTP/1.1 {} {phrase}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
             Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; \
             style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'self' data: blob:; media-src blob:; \
             base-uri 'none'; form-action 'none'\r\n\r\n",
            self.status,
            self.kind,
            self.body.len()
        );
        stream.write_all(head.as_bytes())?;
        if !head_only {
            stream.write_all(&self.body)?;
        }
        stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Request> {
        Request::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_request_has_a_path_a_query_and_a_host() {
        let request =
            read("GET /strike?triangle=3&u=0.5 HTTP/1.1\r\nHost: localhost:1\r\nAccept: */*\r\n\r\n").unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/strike"));
        assert_eq!((request.query("triangle"), request.query("v")), (Some("3"), None));
        assert_eq!((request.host.as_deref(), request.origin), (Some("localhost:1"), None));
    }

    #[test]
    fn what_is_no_request_is_none() {
        for text in [
            "",
            "GET\r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a",
            "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost:1\r\nHost: elsewhere\r\n\r\n",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
        assert_eq!(read(&format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(20_000))), None, "too long");
    }
}
