//! As much of HTTP/1.1 as the page needs: the head of a request comes in, one response goes out, the connection ends.
//!
//! Sizes are bounded here, and times by [`Deadline`]; what is not understood is refused with a status that says why.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::page;

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
    /// Which bytes are wanted, as it was sent.
    pub range: Option<String>,
}

/// A connection that ends at an instant, however slowly bytes come or go.
pub struct Deadline<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl<'a> Deadline<'a> {
    pub fn after(stream: &'a TcpStream, time: Duration) -> Deadline<'a> {
        Deadline { stream, end: Instant::now() + time }
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for Deadline<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(buffer)
    }
}

impl Write for Deadline<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
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
                "range" => &mut request.range,
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
    /// Which bytes of how many these are.
    content_range: Option<String>,
}

impl Response {
    pub fn ok(kind: &'static str, body: impl Into<Vec<u8>>) -> Response {
        Response { status: 200, kind, body: body.into(), content_range: None }
    }

    /// A refusal, with its reason as text.
    pub fn refused(status: u16, reason: &str) -> Response {
        let body = format!("{reason}\n").into_bytes();
        Response { status, kind: "text/plain; charset=utf-8", body, content_range: None }
    }

    /// The part of it that a request wants. Several ranges at once, and what is no range, give the whole, as HTTP allows.
    pub fn part(self, request: &Request) -> Response {
        let length = self.body.len() as u64;
        let wanted = request.range.as_deref().filter(|_| self.status == 200 && request.method == "GET");
        match wanted.and_then(|text| parse_range(text, length)) {
            None => self,
            Some(Err(())) => {
                let refused = Response::refused(416, "there are no such bytes");
                Response { content_range: Some(format!("bytes */{length}")), ..refused }
            }
            Some(Ok((first, last))) => Response {
                status: 206,
                body: self.body[first as usize..=last as usize].to_vec(),
                content_range: Some(format!("bytes {first}-{last}/{length}")),
                ..self
            },
        }
    }

    /// Sends it; without the body if only the head was asked for.
    pub fn send(&self, mut stream: impl Write, head_only: bool) -> io::Result<()> {
        let phrase = match self.status {
            200 => "OK",
            206 => "Partial Content",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            416 => "Range Not Satisfiable",
            422 => "Unprocessable Content",
            503 => "Service Unavailable",
            _ => "Internal Server Error",
        };
        let range = self.content_range.as_ref().map(|range| format!("Content-Range: {range}\r\n")).unwrap_or_default();
        let head = format!(
            "HTTP/1.1 {} {phrase}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{range}Accept-Ranges: bytes\r\n\
             Connection: close\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
             Content-Security-Policy: {}; frame-ancestors 'none'\r\n\r\n",
            self.status,
            self.kind,
            self.body.len(),
            page::policy()
        );
        stream.write_all(head.as_bytes())?;
        if !head_only {
            stream.write_all(&self.body)?;
        }
        stream.flush()
    }
}

/// The first and the last byte of `bytes=FIRST-LAST`, `bytes=FIRST-` or `bytes=-COUNT`. None if it is not one range; an error if
/// none of its bytes is there.
fn parse_range(text: &str, length: u64) -> Option<Result<(u64, u64), ()>> {
    let (first, last) = text.strip_prefix("bytes=")?.trim().split_once('-')?;
    let number = |text: &str| text.chars().all(|c| c.is_ascii_digit()).then(|| text.parse::<u64>().ok())?;
    let (first, last) = match (first, last) {
        ("", count) => (length.saturating_sub(number(count)?), if number(count)? > 0 { u64::MAX } else { 0 }),
        (first, "") => (number(first)?, u64::MAX),
        (first, last) => (number(first)?, number(last)?),
    };
    let is_empty = first >= length || last < first;
    Some(if is_empty { Err(()) } else { Ok((first, last.min(length - 1))) })
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
    fn a_range_is_a_part_of_the_bytes_or_none_of_them() {
        let part = |range: &str| {
            let request = Request { method: "GET".into(), range: Some(range.into()), ..Request::default() };
            let response = Response::ok("text/plain", "0123456789").part(&request);
            (response.status, String::from_utf8(response.body).unwrap(), response.content_range)
        };
        let partial = |body: &str, range: &str| (206, body.to_owned(), Some(format!("bytes {range}/10")));
        assert_eq!(part("bytes=2-4"), partial("234", "2-4"));
        assert_eq!(part("bytes=7-"), partial("789", "7-9"));
        assert_eq!(part("bytes=-3"), partial("789", "7-9"));
        assert_eq!(part("bytes=-99"), partial("0123456789", "0-9"));
        assert_eq!(part("bytes=8-99"), partial("89", "8-9"));
        for none in ["bytes=10-", "bytes=5-4", "bytes=-0"] {
            let (status, _, range) = part(none);
            assert_eq!((status, range), (416, Some("bytes */10".into())), "{none}");
        }
        for whole in ["bytes=0-1,3-4", "lines=0-1", "bytes=a-b", "bytes=+1-2", "", "bytes=99999999999999999999-"] {
            assert_eq!(part(whole), (200, "0123456789".into(), None), "{whole}");
        }
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
