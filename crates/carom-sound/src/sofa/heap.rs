//! Where HDF5 keeps many links or attributes: a fractal heap of objects, and a B-tree of version 2 that lists them.

use super::Problem;
use super::bytes::Bytes;
use super::hdf5::File;

/// Blocks within blocks, and levels of a tree, that are followed.
const DEEPEST: usize = 16;
/// Objects that are read at most.
const MOST: usize = 100_000;

/// All objects of a heap that a tree lists.
pub(super) fn objects<'a>(file: &File<'a>, heap: usize, tree: usize) -> Result<Vec<&'a [u8]>, Problem> {
    let heap = Heap::open(file, heap)?;
    Tree::open(file, tree)?.ids(file, heap.id_length)?.into_iter().map(|id| heap.object(file, id)).collect()
}

struct Heap {
    id_length: usize,
    offset_width: usize,
    length_width: usize,
    columns: usize,
    first_block: usize,
    largest_direct: usize,
    root: usize,
    rows: usize,
}

impl Heap {
    fn open(file: &File, at: usize) -> Result<Heap, Problem> {
        let (o, l) = (file.offset_width, file.length_width);
        let mut bytes = file.at(at)?;
        bytes.expect(b"FRHP")?;
        bytes.skip(1)?;
        let id_length = bytes.size(2)?;
        let filters = bytes.size(2)?;
        bytes.skip(1)?;
        let largest_object = bytes.size(4)?;
        bytes.skip(l + o + l + o + 8 * l)?;
        let columns = bytes.size(2)?;
        let (first_block, largest_direct) = (bytes.size(l)?, bytes.size(l)?);
        let bits = bytes.size(2)?;
        bytes.skip(2)?;
        let (root, rows) = (bytes.size(o)?, bytes.size(2)?);
        let sound = filters == 0 && columns > 0 && first_block > 0 && largest_direct >= first_block && bits <= 64;
        if !sound {
            return Err(Problem::new("it has a heap of a kind that is not read"));
        }
        let width = |number: usize| number.max(1).ilog2() as usize / 8 + 1;
        let length_width = largest_direct.ilog2().div_ceil(8).max(1) as usize;
        let length_width = length_width.min(width(largest_object));
        let offset_width = bits.div_ceil(8);
        Ok(Heap { id_length, offset_width, length_width, columns, first_block, largest_direct, root, rows })
    }

    fn object<'a>(&self, file: &File<'a>, id: &[u8]) -> Result<&'a [u8], Problem> {
        let mut id = Bytes::new(id);
        if id.number(1)? & 0x30 != 0 {
            return Err(Problem::new("it has objects outside of their heap"));
        }
        let (offset, length) = (id.size(self.offset_width)?, id.size(self.length_width)?);
        let place = match self.rows {
            0 => self.root.saturating_add(offset),
            rows => self.find(file, self.root, rows, offset, 0)?,
        };
        file.at(place)?.take(length)
    }

    /// Where an offset of the heap is in the file, looked for in an indirect block.
    fn find(&self, file: &File, block: usize, rows: usize, offset: usize, depth: usize) -> Result<usize, Problem> {
        let lost = || Problem::new("its heap lacks an object");
        let mut bytes = file.at(block)?;
        bytes.expect(b"FHIB")?;
        bytes.skip(1 + file.offset_width + self.offset_width)?;
        let mut begin = 0usize;
        for row in 0..rows {
            let size = u32::try_from(row.saturating_sub(1)).ok().and_then(|shift| self.first_block.checked_shl(shift));
            let size = size.filter(|&size| size > 0).ok_or_else(lost)?;
            for _ in 0..self.columns {
                let child = bytes.size(file.offset_width)?;
                let Some(within) = offset.checked_sub(begin).filter(|&within| within < size) else {
                    begin = begin.checked_add(size).ok_or_else(lost)?;
                    continue;
                };
                if size <= self.largest_direct {
                    return Ok(child.saturating_add(within));
                }
                let narrowest = self.first_block.checked_mul(self.columns).filter(|_| depth < DEEPEST);
                let rows = size.ilog2().checked_sub(narrowest.ok_or_else(lost)?.ilog2()).ok_or_else(lost)? + 1;
                return self.find(file, child, rows as usize, within, depth + 1);
            }
        }
        Err(lost())
    }
}

struct Tree {
    kind: u8,
    node: usize,
    record: usize,
    depth: usize,
    root: usize,
    records: usize,
}

impl Tree {
    fn open(file: &File, at: usize) -> Result<Tree, Problem> {
        let mut bytes = file.at(at)?;
        bytes.expect(b"BTHD")?;
        bytes.skip(1)?;
        let kind = bytes.number(1)? as u8;
        let (node, record, depth) = (bytes.size(4)?, bytes.size(2)?, bytes.size(2)?);
        bytes.skip(2)?;
        let (root, records) = (bytes.size(file.offset_width)?, bytes.size(2)?);
        if record == 0 || depth > DEEPEST || node < 10 + record {
            return Err(Problem::new("it has a tree of a kind that is not read"));
        }
        Ok(Tree { kind, node, record, depth, root, records })
    }

    /// The names of all objects in their heap.
    fn ids<'a>(&self, file: &File<'a>, length: usize) -> Result<Vec<&'a [u8]>, Problem> {
        // Links by name have a hash first, attributes by name their place in the heap.
        let skipped = match self.kind {
            5 => 4,
            8 => 0,
            kind => return Err(Problem::new(format!("it has a tree of kind {kind}, which is not read"))),
        };
        let mut records = Vec::new();
        self.node(file, self.root, self.records, self.depth, &mut records)?;
        let id = |record: &'a [u8]| {
            let mut bytes = Bytes::new(record);
            bytes.skip(skipped)?;
            bytes.take(length)
        };
        records.into_iter().map(id).collect()
    }

    /// Widths of the two counts that follow the place of a child below a level: its own records, and all below it.
    fn widths(&self, file: &File, depth: usize) -> [usize; 2] {
        let width = |number: usize| number.max(1).ilog2() as usize / 8 + 1;
        let mut most = (self.node - 10) / self.record;
        let mut all = most;
        let mut widths = [width(most), 0];
        for level in 1..depth {
            let pointer = file.offset_width + widths[0] + if level > 1 { widths[1] } else { 0 };
            most = (self.node - 10).saturating_sub(pointer) / (self.record + pointer);
            let below = width(all);
            all = (most + 1).saturating_mul(all).saturating_add(most);
            widths = [width(most), if level + 1 < depth { width(all) } else { width(all).max(below) }];
        }
        widths
    }

    fn node<'a>(
        &self,
        file: &File<'a>,
        at: usize,
        count: usize,
        depth: usize,
        records: &mut Vec<&'a [u8]>,
    ) -> Result<(), Problem> {
        let mut bytes = file.at(at)?;
        bytes.expect(if depth == 0 { b"BTLF" } else { b"BTIN" })?;
        bytes.skip(2)?;
        if records.len() + count > MOST {
            return Err(Problem::new("it has too many objects"));
        }
        for _ in 0..count {
            records.push(bytes.take(self.record)?);
        }
        if depth == 0 {
            return Ok(());
        }
        let [own, all] = self.widths(file, depth);
        for _ in 0..=count {
            let (child, count) = (bytes.size(file.offset_width)?, bytes.size(own)?);
            bytes.skip(if depth > 1 { all } else { 0 })?;
            self.node(file, child, count, depth - 1, records)?;
        }
        Ok(())
    }
}
