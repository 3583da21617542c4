//! As much of HDF5 as SOFA files need: groups and attributes in their old and their new form, arrays of numbers that lie in one piece
//! or in chunks, deflated and shuffled. Of all forms only the last version of chunk indices, which netCDF does not write, is left out.

use std::io::Read;

use super::Problem;
use super::bytes::Bytes;
use super::heap;

const SIGN: &[u8] = b"\x89HDF\r\n\x1a\n";
/// Messages that the header of an object has at most, numbers of an array, and levels of a tree.
const MOST_MESSAGES: usize = 10_000;
const MOST_NUMBERS: usize = 1 << 27;
const DEEPEST: u64 = 16;

/// A file in memory.
pub(super) struct File<'a> {
    bytes: &'a [u8],
    pub offset_width: usize,
    pub length_width: usize,
    root: usize,
}

/// What the header of an object says: kinds and contents.
pub(super) struct Header<'a> {
    messages: Vec<(u64, &'a [u8])>,
}

/// Numbers, row by row.
pub(super) struct Array {
    pub sizes: Vec<usize>,
    pub numbers: Vec<f64>,
}

/// How an element is stored.
#[derive(Clone, Copy)]
enum Element {
    /// Of so many bytes, the first one last if `swapped`.
    Float {
        width: usize,
        swapped: bool,
    },
    Whole {
        width: usize,
        swapped: bool,
        signed: bool,
    },
    Text {
        width: usize,
    },
    /// In a heap of its own.
    LongText,
}

impl<'a> File<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<File<'a>, Problem> {
        let mut start = Bytes::new(bytes);
        if start.take(SIGN.len()).ok() != Some(SIGN) {
            return Err(Problem::new("it does not begin as an HDF5 file"));
        }
        let version = start.number(1)?;
        let mut file = File { bytes, offset_width: 8, length_width: 8, root: 0 };
        if version < 2 {
            start.skip(4)?;
            (file.offset_width, file.length_width) = (start.size(1)?, start.size(1)?);
            start.skip(if version == 0 { 9 } else { 13 })?;
            start.skip(4 * file.offset_width)?;
            // The entry of the root: where its name is, and its header.
            start.skip(file.offset_width)?;
        } else {
            (file.offset_width, file.length_width) = (start.size(1)?, start.size(1)?);
            start.skip(1)?;
            start.skip(3 * file.offset_width)?;
        }
        file.root = start.size(file.offset_width)?;
        Ok(file)
    }

    /// The rest of the file from a place on.
    pub fn at(&self, place: usize) -> Result<Bytes<'a>, Problem> {
        let gone = || Problem::new(format!("it ends before byte {place}, where more should be"));
        self.bytes.get(place..).map(Bytes::new).ok_or_else(gone)
    }

    pub fn root(&self) -> Result<Header<'a>, Problem> {
        self.header(self.root)
    }

    fn header(&self, at: usize) -> Result<Header<'a>, Problem> {
        let mut bytes = self.at(at)?;
        let mut messages = Vec::new();
        let is_new = bytes.len() > 4 && bytes.clone().take(4)? == b"OHDR";
        let ordered = if is_new {
            bytes.skip(5)?;
            let flags = bytes.number(1)?;
            bytes.skip(if flags & 0x20 != 0 { 16 } else { 0 })?;
            bytes.skip(if flags & 0x10 != 0 { 4 } else { 0 })?;
            let length = bytes.size(1 << (flags & 3))?;
            let block = bytes.take(length)?;
            let ordered = flags & 4 != 0;
            new_messages(block, ordered, &mut messages)?;
            ordered
        } else {
            if bytes.number(1)? != 1 {
                return Err(Problem::new(format!("the header at byte {at} is of an unknown version")));
            }
            bytes.skip(7)?;
            let length = bytes.size(4)?;
            bytes.skip(4)?;
            old_messages(bytes.take(length)?, &mut messages)?;
            false
        };
        // Headers go on elsewhere, and there again.
        let mut next = 0;
        while next < messages.len() {
            let (kind, content) = messages[next];
            next += 1;
            if kind == 0x10 {
                let mut place = Bytes::new(content);
                let (at, length) = (place.size(self.offset_width)?, place.size(self.length_width)?);
                let mut block = Bytes::new(self.at(at)?.take(length)?);
                if is_new {
                    block.expect(b"OCHK")?;
                    let inside = block.len().saturating_sub(4);
                    new_messages(block.take(inside)?, ordered, &mut messages)?;
                } else {
                    old_messages(block.take(length)?, &mut messages)?;
                }
            }
            if messages.len() > MOST_MESSAGES {
                return Err(Problem::new("a header has too many parts"));
            }
        }
        Ok(Header { messages })
    }

    /// The object of a group that has a name.
    pub fn child(&self, group: &Header<'a>, name: &str) -> Result<Option<Header<'a>>, Problem> {
        for &(kind, content) in &group.messages {
            let mut bytes = Bytes::new(content);
            let place = match kind {
                0x06 => link(self, content, name)?,
                0x02 => {
                    bytes.skip(1)?;
                    let flags = bytes.number(1)?;
                    bytes.skip(if flags & 1 != 0 { 8 } else { 0 })?;
                    match self.dense(&mut bytes)? {
                        Some((heap, tree)) => {
                            let links = heap::objects(self, heap, tree)?;
                            let found: Result<Vec<Option<usize>>, Problem> =
                                links.into_iter().map(|one| link(self, one, name)).collect();
                            found?.into_iter().flatten().next()
                        }
                        None => None,
                    }
                }
                0x11 => {
                    let (tree, heap) = (bytes.size(self.offset_width)?, bytes.size(self.offset_width)?);
                    self.symbol(tree, heap, name, DEEPEST)?
                }
                _ => None,
            };
            if let Some(place) = place {
                return self.header(place).map(Some);
            }
        }
        Ok(None)
    }

    /// Places of a heap and the tree of names to it, if there are such.
    fn dense(&self, bytes: &mut Bytes) -> Result<Option<(usize, usize)>, Problem> {
        let (heap, tree) = (bytes.number(self.offset_width)?, bytes.size(self.offset_width)?);
        let nowhere = u64::MAX >> (64 - 8 * self.offset_width as u32).min(63);
        Ok((heap != nowhere).then(|| (usize::try_from(heap).unwrap_or(usize::MAX), tree)))
    }

    /// An object of a group in the old form: a tree of tables of symbols, and a heap of their names.
    fn symbol(&self, tree: usize, heap: usize, name: &str, deepest: u64) -> Result<Option<usize>, Problem> {
        let mut names = self.at(heap)?;
        names.expect(b"HEAP")?;
        names.skip(4 + 2 * self.length_width)?;
        let names = names.size(self.offset_width)?;
        let mut bytes = self.at(tree)?;
        let is_tree = bytes.len() > 4 && bytes.clone().take(4)? == b"TREE";
        if !is_tree {
            bytes.expect(b"SNOD")?;
            bytes.skip(2)?;
            for _ in 0..bytes.size(2)? {
                let (at, header) = (bytes.size(self.offset_width)?, bytes.size(self.offset_width)?);
                bytes.skip(24)?;
                let mut here = self.at(names.saturating_add(at))?;
                if here.take(name.len()).ok() == Some(name.as_bytes()) && here.number(1)? == 0 {
                    return Ok(Some(header));
                }
            }
            return Ok(None);
        }
        bytes.skip(5)?;
        let level = bytes.number(1)?;
        if level >= deepest {
            return Err(Problem::new("a tree of names runs in circles"));
        }
        let count = bytes.size(2)?;
        bytes.skip(2 * self.offset_width)?;
        for _ in 0..count {
            bytes.skip(self.length_width)?;
            let child = bytes.size(self.offset_width)?;
            if let Some(found) = self.symbol(child, heap, name, level)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A text attribute.
    pub fn text(&self, object: &Header<'a>, name: &str) -> Result<Option<String>, Problem> {
        for &(kind, content) in &object.messages {
            let found = match kind {
                0x0C => self.attribute(content, name)?,
                0x15 => {
                    let mut bytes = Bytes::new(content);
                    bytes.skip(1)?;
                    let flags = bytes.number(1)?;
                    bytes.skip(if flags & 1 != 0 { 2 } else { 0 })?;
                    let all = match self.dense(&mut bytes)? {
                        Some((heap, tree)) => heap::objects(self, heap, tree)?,
                        None => Vec::new(),
                    };
                    let texts: Result<Vec<Option<String>>, Problem> =
                        all.into_iter().map(|one| self.attribute(one, name)).collect();
                    texts?.into_iter().flatten().next()
                }
                _ => None,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn attribute(&self, content: &[u8], name: &str) -> Result<Option<String>, Problem> {
        let mut bytes = Bytes::new(content);
        let version = bytes.number(1)?;
        bytes.skip(1)?;
        let sizes = [bytes.size(2)?, bytes.size(2)?, bytes.size(2)?];
        bytes.skip(usize::from(version == 3))?;
        let padded = |size: usize| if version == 1 { size.next_multiple_of(8) } else { size };
        let mut parts = [&[][..]; 3];
        for (part, size) in parts.iter_mut().zip(sizes) {
            *part = bytes.take(padded(size))?;
        }
        if until_zero(parts[0]) != name.as_bytes() {
            return Ok(None);
        }
        let text = match element(parts[1])? {
            Element::Text { width } => bytes.take(width)?.to_vec(),
            Element::LongText => {
                let length = bytes.size(4)?;
                let (collection, index) = (bytes.size(self.offset_width)?, bytes.number(4)?);
                self.global(collection, index)?.take(length)?.to_vec()
            }
            _ => return Ok(None),
        };
        Ok(Some(String::from_utf8_lossy(until_zero(&text)).trim().to_owned()))
    }

    /// An object of a heap that the whole file shares.
    fn global(&self, collection: usize, index: u64) -> Result<Bytes<'a>, Problem> {
        let mut bytes = self.at(collection)?;
        bytes.expect(b"GCOL")?;
        bytes.skip(4 + self.length_width)?;
        loop {
            let number = bytes.number(2)?;
            bytes.skip(6)?;
            let size = bytes.size(self.length_width)?;
            if number == index {
                return Ok(Bytes::new(bytes.take(size)?));
            }
            if number == 0 {
                return Err(Problem::new(format!("it lacks text {index} of its heap")));
            }
            bytes.skip(size.checked_next_multiple_of(8).unwrap_or(usize::MAX))?;
        }
    }

    /// The numbers of an array.
    pub fn array(&self, object: &Header<'a>, name: &str) -> Result<Array, Problem> {
        let part = |kind: u64| object.messages.iter().find(|message| message.0 == kind).map(|message| message.1);
        let lacks = |what: &str| Problem::new(format!("{name} has no {what}"));
        let sizes = sizes(self, part(0x01).ok_or_else(|| lacks("sizes"))?)?;
        let element = element(part(0x03).ok_or_else(|| lacks("type"))?)?;
        let (Element::Float { width, .. } | Element::Whole { width, .. }) = element else {
            return Err(Problem::new(format!("{name} is text, expected numbers")));
        };
        let count = sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        let count = count.filter(|&count| count <= MOST_NUMBERS);
        let count = count.ok_or_else(|| Problem::new(format!("{name} is too large, {sizes:?}")))?;
        let mut layout = Bytes::new(part(0x08).ok_or_else(|| lacks("data"))?);
        let version = layout.number(1)?;
        if version != 3 {
            let problem = format!("{name} is laid out in version {version}, expected 3 as of HDF5 1.8 and netCDF");
            return Err(Problem::new(problem));
        }
        let raw = match layout.number(1)? {
            0 => {
                let length = layout.size(2)?;
                layout.take(length)?.to_vec()
            }
            1 => {
                let at = layout.size(self.offset_width)?;
                self.at(at)?.take(count * width)?.to_vec()
            }
            2 => {
                let filters = part(0x0B).map_or(Ok(Vec::new()), filters)?;
                let rank = layout.size(1)?;
                let tree = layout.size(self.offset_width)?;
                let chunk: Vec<usize> = (0..rank).map(|_| layout.size(4)).collect::<Result<_, _>>()?;
                let chunk = chunk.split_last().map_or(&[][..], |(_, sizes)| sizes);
                if chunk.len() != sizes.len() || chunk.contains(&0) || sizes.is_empty() {
                    return Err(Problem::new(format!("{name} has chunks of {chunk:?} of {sizes:?}")));
                }
                let mut raw = vec![0; count * width];
                let chunks = Chunks { file: self, sizes: &sizes, chunk, width, filters: &filters };
                chunks.read(tree, DEEPEST, &mut raw)?;
                raw
            }
            kind => return Err(Problem::new(format!("{name} is laid out in an unknown way, {kind}"))),
        };
        if raw.len() < count * width {
            return Err(Problem::new(format!("{name} has {} bytes, expected {}", raw.len(), count * width)));
        }
        let numbers = raw.chunks_exact(width).take(count).map(|bytes| number(element, bytes)).collect();
        Ok(Array { sizes, numbers })
    }
}

/// An array in chunks.
struct Chunks<'a, 'b> {
    file: &'b File<'a>,
    sizes: &'b [usize],
    chunk: &'b [usize],
    width: usize,
    filters: &'b [u64],
}

impl Chunks<'_, '_> {
    fn read(&self, node: usize, deepest: u64, raw: &mut [u8]) -> Result<(), Problem> {
        let mut bytes = self.file.at(node)?;
        bytes.expect(b"TREE")?;
        bytes.skip(1)?;
        let level = bytes.number(1)?;
        if level >= deepest {
            return Err(Problem::new("a tree of chunks runs in circles"));
        }
        let count = bytes.size(2)?;
        bytes.skip(2 * self.file.offset_width)?;
        for _ in 0..count {
            let (length, left_out) = (bytes.size(4)?, bytes.number(4)?);
            let place: Vec<usize> = (0..=self.sizes.len()).map(|_| bytes.size(8)).collect::<Result<_, _>>()?;
            let child = bytes.size(self.file.offset_width)?;
            if level > 0 {
                self.read(child, level, raw)?;
            } else {
                let data = self.unfiltered(self.file.at(child)?.take(length)?, left_out)?;
                self.copy(&place, &data, raw);
            }
        }
        Ok(())
    }

    fn unfiltered(&self, data: &[u8], left_out: u64) -> Result<Vec<u8>, Problem> {
        let whole = self.chunk.iter().try_fold(self.width, |product, &size| product.checked_mul(size));
        let whole = whole.filter(|&whole| whole <= 8 * MOST_NUMBERS);
        let whole = whole.ok_or_else(|| Problem::new(format!("it has chunks of {:?}", self.chunk)))?;
        let mut data = data.to_vec();
        for (number, &filter) in self.filters.iter().enumerate().rev() {
            if left_out >> number.min(63) & 1 == 1 {
                continue;
            }
            data = match filter {
                1 => {
                    let mut inflated = Vec::new();
                    let decoder = flate2::read::ZlibDecoder::new(&data[..]);
                    let read = decoder.take(whole as u64 + 4).read_to_end(&mut inflated);
                    read.map_err(|error| Problem::new(format!("a chunk cannot be inflated: {error}")))?;
                    inflated
                }
                2 => {
                    let count = data.len() / self.width;
                    let byte = |i: usize| data[i % self.width * count + i / self.width];
                    (0..count * self.width).map(byte).collect()
                }
                // A checksum of four bytes at the end.
                3 => data[..data.len().saturating_sub(4)].to_vec(),
                other => return Err(Problem::new(format!("it is packed by filter {other}, which is not read"))),
            };
        }
        if data.len() < whole {
            return Err(Problem::new(format!("a chunk has {} bytes, expected {whole}", data.len())));
        }
        Ok(data)
    }

    /// Copies what of a chunk lies within the array, row by row.
    fn copy(&self, place: &[usize], data: &[u8], raw: &mut [u8]) {
        let last = self.sizes.len() - 1;
        let rows: usize = self.chunk[..last].iter().product();
        let begin = place[last];
        let length = self.chunk[last].min(self.sizes[last].saturating_sub(begin)) * self.width;
        for row in 0..rows {
            let (mut rest, mut offset, mut step, mut inside) = (row, begin, self.sizes[last], true);
            for axis in (0..last).rev() {
                let at = place[axis].saturating_add(rest % self.chunk[axis]);
                rest /= self.chunk[axis];
                inside &= at < self.sizes[axis];
                offset = offset.saturating_add(at.saturating_mul(step));
                step = step.saturating_mul(self.sizes[axis]);
            }
            let from = row * self.chunk[last] * self.width;
            let to = offset.saturating_mul(self.width);
            let (source, target) = (data.get(from..from + length), raw.get_mut(to..to.saturating_add(length)));
            if let (true, Some(source), Some(target)) = (inside, source, target) {
                target.copy_from_slice(source);
            }
        }
    }
}

fn new_messages<'a>(block: &'a [u8], ordered: bool, messages: &mut Vec<(u64, &'a [u8])>) -> Result<(), Problem> {
    let mut bytes = Bytes::new(block);
    let head = if ordered { 6 } else { 4 };
    while bytes.len() >= head {
        let (kind, length) = (bytes.number(1)?, bytes.size(2)?);
        bytes.skip(head - 3)?;
        messages.push((kind, bytes.take(length)?));
    }
    Ok(())
}

fn old_messages<'a>(block: &'a [u8], messages: &mut Vec<(u64, &'a [u8])>) -> Result<(), Problem> {
    let mut bytes = Bytes::new(block);
    while bytes.len() >= 8 {
        let (kind, length) = (bytes.number(2)?, bytes.size(2)?);
        bytes.skip(4)?;
        messages.push((kind, bytes.take(length)?));
    }
    Ok(())
}

/// Where a link leads, if it has the name.
fn link(file: &File, content: &[u8], name: &str) -> Result<Option<usize>, Problem> {
    let mut bytes = Bytes::new(content);
    bytes.skip(1)?;
    let flags = bytes.number(1)?;
    let kind = if flags & 8 != 0 { bytes.number(1)? } else { 0 };
    bytes.skip(if flags & 4 != 0 { 8 } else { 0 })?;
    bytes.skip(if flags & 0x10 != 0 { 1 } else { 0 })?;
    let length = bytes.size(1 << (flags & 3))?;
    let found = bytes.take(length)?;
    Ok(if kind == 0 && found == name.as_bytes() { Some(bytes.size(file.offset_width)?) } else { None })
}

fn sizes(file: &File, content: &[u8]) -> Result<Vec<usize>, Problem> {
    let mut bytes = Bytes::new(content);
    let version = bytes.number(1)?;
    let rank = bytes.size(1)?;
    bytes.skip(if version == 1 { 6 } else { 2 })?;
    (0..rank).map(|_| bytes.size(file.length_width)).collect()
}

fn element(content: &[u8]) -> Result<Element, Problem> {
    let mut bytes = Bytes::new(content);
    let class = bytes.number(1)? & 15;
    let flags = bytes.number(3)?;
    let width = bytes.size(4)?;
    let swapped = flags & 1 == 1;
    match class {
        0 if (1..=8).contains(&width) => Ok(Element::Whole { width, swapped, signed: flags & 8 != 0 }),
        1 if width == 4 || width == 8 => Ok(Element::Float { width, swapped }),
        3 => Ok(Element::Text { width }),
        9 if flags & 15 == 1 => Ok(Element::LongText),
        _ => Err(Problem::new(format!("it has data of kind {class} with {width} bytes, which is not read"))),
    }
}

fn number(element: Element, bytes: &[u8]) -> f64 {
    let (Element::Float { width, swapped } | Element::Whole { width, swapped, .. }) = element else { return f64::NAN };
    let mut place = [0; 8];
    place[..width].copy_from_slice(bytes);
    if swapped {
        place[..width].reverse();
    }
    match element {
        Element::Float { width: 4, .. } => f64::from(f32::from_bits(u64::from_le_bytes(place) as u32)),
        Element::Float { .. } => f64::from_le_bytes(place),
        Element::Whole { signed: true, .. } => {
            let unused = 64 - 8 * width as u32;
            (i64::from_le_bytes(place) << unused >> unused) as f64
        }
        _ => u64::from_le_bytes(place) as f64,
    }
}

/// Filters in the order in which they were applied.
fn filters(content: &[u8]) -> Result<Vec<u64>, Problem> {
    let mut bytes = Bytes::new(content);
    let version = bytes.number(1)?;
    let count = bytes.size(1)?;
    bytes.skip(if version == 1 { 6 } else { 0 })?;
    let one = |_| {
        let filter = bytes.number(2)?;
        let name = if version == 1 || filter >= 256 { bytes.size(2)? } else { 0 };
        bytes.skip(2)?;
        let values = bytes.size(2)?;
        bytes.skip(if version == 1 { name.next_multiple_of(8) } else { name })?;
        bytes.skip(4 * if version == 1 { values.next_multiple_of(2) } else { values })?;
        Ok(filter)
    };
    (0..count).map(one).collect()
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len())]
}
