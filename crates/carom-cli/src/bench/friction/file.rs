//! Friction problems as JSON files, in local form (u = W r + q) or body form (M v = f + H r, u = Hᵀv + w).

use std::path::Path;

use carom::solve::BlockColumns;
use carom::solve::coulomb::{
    Constraint, ContactMatrix, CoulombError, CoulombParams, CoulombProblem, CoulombReport, CoulombSolver, MatrixProblem,
};
use miette::{IntoDiagnostic, WrapErr, miette};
use serde::Deserialize;

use crate::ui::Work;

/// Most coordinates that the mass matrix couples: its factor is dense.
const MAX_BLOCK: usize = 8192;

/// A matrix as coordinates.
#[derive(Deserialize)]
struct Coordinates {
    rows: Vec<usize>,
    cols: Vec<usize>,
    values: Vec<f64>,
    #[serde(default)]
    shape: [usize; 2],
}

#[derive(Deserialize)]
struct Contents {
    contacts: usize,
    mu: Vec<f64>,
    /// Rows of each contact: 3, or 2 in 2D.
    #[serde(default = "three")]
    dimension: usize,
    q: Option<Vec<f64>>,
    rows: Option<Vec<usize>>,
    cols: Option<Vec<usize>>,
    values: Option<Vec<f64>>,
    #[serde(rename = "M")]
    mass: Option<Coordinates>,
    #[serde(rename = "H")]
    directions: Option<Coordinates>,
    f: Option<Vec<f64>>,
    w: Option<Vec<f64>>,
}

fn three() -> usize {
    3
}

/// A problem that was read.
pub struct Problem {
    pub contacts: usize,
    constraints: Vec<Constraint>,
    free: Vec<f64>,
    form: Form,
}

enum Form {
    Matrix(ContactMatrix),
    Bodies6(BlockColumns<6>),
    Bodies3(BlockColumns<3>),
}

impl Problem {
    /// Reads a file.
    pub fn read(path: &Path) -> Work<Problem> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).into_diagnostic().wrap_err_with(|| name.clone())?;
        let contents: Contents = serde_json::from_str(&text).into_diagnostic().wrap_err_with(|| {
            format!("{name} is no friction problem: `contacts`, `mu`, and `q` with W, or `M`, `H`, `f` and `w`")
        })?;
        Problem::from_contents(contents).map_err(|message| miette!("{name}: {message}"))
    }

    fn from_contents(contents: Contents) -> Result<Problem, String> {
        let Contents { contacts, mu, dimension, q, rows, cols, values, mass, directions, f, w } = contents;
        if !(2..=3).contains(&dimension) {
            return Err(format!("`dimension` is {dimension}; it must be 2 or 3"));
        }
        expect("mu", mu.len(), contacts)?;
        let size = dimension.checked_mul(contacts).ok_or("too many contacts")?;
        let constraints: Vec<Constraint> =
            mu.iter().enumerate().map(|(k, &mu)| Constraint::contact(dimension * k, dimension, mu)).collect();
        let (free, form) = match (mass, directions, f, w) {
            (Some(mass), Some(directions), Some(f), Some(w)) => {
                expect("w", w.len(), size)?;
                bodies(&mass, &directions, &f, w, &constraints)?
            }
            (None, None, None, None) => {
                let (Some(rows), Some(cols), Some(values), Some(q)) = (rows, cols, values, q) else {
                    return Err("`q`, `rows`, `cols` and `values` are missing".into());
                };
                let entries = Coordinates { rows, cols, values, shape: [size; 2] }.entries("W")?;
                expect("q", q.len(), size)?;
                (q, matrix(size, &entries, &constraints)?)
            }
            _ => return Err("the body form needs `M`, `H`, `f` and `w`".into()),
        };
        Ok(Problem { contacts, constraints, free, form })
    }

    /// Solves the problem from zero.
    pub fn solve(&self, solver: &mut CoulombSolver, impulses: &mut Vec<f64>) -> Result<CoulombReport, CoulombError> {
        impulses.clear();
        impulses.resize(self.free.len(), 0.0);
        let (constraints, free, params) = (&self.constraints[..], &self.free[..], CoulombParams::default());
        match &self.form {
            Form::Matrix(matrix) => {
                let problem = MatrixProblem { matrix, constraints, free };
                solver.solve_matrix(&problem, &params, impulses)
            }
            Form::Bodies6(columns) => {
                solver.solve(&CoulombProblem { columns, constraints, free, softness: &[] }, &params, impulses)
            }
            Form::Bodies3(columns) => {
                solver.solve(&CoulombProblem { columns, constraints, free, softness: &[] }, &params, impulses)
            }
        }
    }
}

impl Coordinates {
    fn entries(&self, name: &str) -> Result<Vec<(usize, usize, f64)>, String> {
        expect("cols", self.cols.len(), self.rows.len())?;
        expect("values", self.values.len(), self.rows.len())?;
        let entries = self.rows.iter().zip(&self.cols).zip(&self.values).map(|((&r, &c), &v)| (r, c, v));
        let [rows, columns] = self.shape;
        if let Some((r, c, _)) = entries.clone().find(|&(r, c, _)| r >= rows || c >= columns) {
            return Err(format!("`{name}` has an entry at row {r}, column {c}, but {rows} rows and {columns} columns"));
        }
        Ok(entries.collect())
    }
}

fn expect(name: &str, found: usize, expected: usize) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("`{name}` has {found} numbers, not {expected}")) }
}

/// Columns G = L⁻¹H with M = LLᵀ, over bodies of six or three coordinates; as an explicit W where contacts have more than two of these.
fn bodies(
    mass: &Coordinates,
    directions: &Coordinates,
    f: &[f64],
    mut free: Vec<f64>,
    constraints: &[Constraint],
) -> Result<(Vec<f64>, Form), String> {
    let [coordinates, size] = directions.shape;
    let dimension = constraints.first().map_or(3, |constraint| constraint.count);
    expect("w", free.len(), size)?;
    expect("f", f.len(), coordinates)?;
    if mass.shape != [coordinates; 2] {
        let [rows, columns] = mass.shape;
        return Err(format!("`M.shape` is [{rows}, {columns}], but `H` has {coordinates} rows"));
    }
    let factor = MassFactor::new(coordinates, &mass.entries("M")?)?;
    let mut columns = vec![Vec::new(); size];
    for (row, column, value) in directions.entries("H")? {
        columns[column].push((row, value));
    }
    let force = factor.divide(&f.iter().copied().enumerate().collect::<Vec<_>>());
    let mut dense = vec![0.0; coordinates];
    force.iter().for_each(|&(row, value)| dense[row] = value);
    let columns: Vec<Vec<(usize, f64)>> = columns.iter().map(|column| factor.divide(column)).collect();
    for (free, column) in free.iter_mut().zip(&columns) {
        *free += column.iter().map(|&(row, value)| value * dense[row]).sum::<f64>();
    }
    let form = if let Some(columns) = in_blocks::<6>(&columns, coordinates, dimension) {
        Form::Bodies6(columns)
    } else if let Some(columns) = in_blocks::<3>(&columns, coordinates, dimension) {
        Form::Bodies3(columns)
    } else {
        matrix(size, &products(&columns, coordinates), constraints)?
    };
    Ok((free, form))
}

/// W, sorted and checked before any clock runs, as other solvers have it too.
fn matrix(size: usize, entries: &[(usize, usize, f64)], constraints: &[Constraint]) -> Result<Form, String> {
    ContactMatrix::new(size, entries, constraints).map(Form::Matrix).map_err(|error| error.to_string())
}

/// The entries of GᵀG.
fn products(columns: &[Vec<(usize, f64)>], coordinates: usize) -> Vec<(usize, usize, f64)> {
    let mut by_row = vec![Vec::new(); coordinates];
    for (number, column) in columns.iter().enumerate() {
        column.iter().for_each(|&(row, value)| by_row[row].push((number, value)));
    }
    by_row.iter().flat_map(|row| row.iter().flat_map(|&(i, a)| row.iter().map(move |&(j, b)| (i, j, a * b)))).collect()
}

/// The columns over blocks of W coordinates, if each contact has at most two of these.
fn in_blocks<const W: usize>(
    columns: &[Vec<(usize, f64)>],
    coordinates: usize,
    dimension: usize,
) -> Option<BlockColumns<W>> {
    if !coordinates.is_multiple_of(W) {
        return None;
    }
    let mut blocks = BlockColumns::new(coordinates / W);
    for contact in columns.chunks(dimension) {
        let mut bodies: Vec<usize> = contact.iter().flatten().map(|&(row, _)| row / W).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let (&first, &last) = (bodies.first()?, bodies.last()?);
        if bodies.len() > 2 {
            return None;
        }
        for column in contact {
            let mut rows = [[0.0; W]; 2];
            for &(row, value) in column {
                rows[usize::from(row / W != first)][row % W] += value;
            }
            blocks.push([(first as u32, rows[0]), (last as u32, rows[1])]);
        }
    }
    Some(blocks)
}

/// Cholesky's factor of a mass matrix, block by block.
struct MassFactor {
    /// For each coordinate its block and its place in it.
    places: Vec<(usize, usize)>,
    blocks: Vec<MassBlock>,
}

struct MassBlock {
    coordinates: Vec<usize>,
    /// L, row by row.
    lower: Vec<f64>,
}

impl MassFactor {
    fn new(coordinates: usize, entries: &[(usize, usize, f64)]) -> Result<MassFactor, String> {
        let mut parent: Vec<usize> = (0..coordinates).collect();
        let root = |parent: &mut [usize], mut node: usize| {
            while parent[node] != node {
                parent[node] = parent[parent[node]];
                node = parent[node];
            }
            node
        };
        for &(row, column, _) in entries.iter().filter(|entry| entry.2 != 0.0) {
            let [a, b] = [root(&mut parent, row), root(&mut parent, column)];
            parent[a.max(b)] = a.min(b);
        }
        let mut blocks: Vec<MassBlock> = Vec::new();
        let mut number = vec![usize::MAX; coordinates];
        let mut places = Vec::with_capacity(coordinates);
        for coordinate in 0..coordinates {
            let root = root(&mut parent, coordinate);
            if number[root] == usize::MAX {
                number[root] = blocks.len();
                blocks.push(MassBlock { coordinates: Vec::new(), lower: Vec::new() });
            }
            let block = &mut blocks[number[root]].coordinates;
            places.push((number[root], block.len()));
            block.push(coordinate);
        }
        for block in &mut blocks {
            let size = block.coordinates.len();
            if size > MAX_BLOCK {
                return Err(format!("`M` couples {size} coordinates; a body may have {MAX_BLOCK}"));
            }
            block.lower = vec![0.0; block.coordinates.len() * block.coordinates.len()];
        }
        for &(row, column, value) in entries.iter().filter(|entry| entry.2 != 0.0) {
            let ((block, r), (_, c)) = (places[row], places[column]);
            let size = blocks[block].coordinates.len();
            blocks[block].lower[r * size + c] += value;
        }
        for block in &mut blocks {
            block.factorize()?;
        }
        Ok(MassFactor { places, blocks })
    }

    /// L⁻¹ times a sparse vector.
    fn divide(&self, vector: &[(usize, f64)]) -> Vec<(usize, f64)> {
        let mut touched: Vec<usize> = vector.iter().map(|&(row, _)| self.places[row].0).collect();
        touched.sort_unstable();
        touched.dedup();
        let mut result = Vec::new();
        for number in touched {
            let block = &self.blocks[number];
            let size = block.coordinates.len();
            let mut x = vec![0.0; size];
            for &(row, value) in vector.iter().filter(|&&(row, _)| self.places[row].0 == number) {
                x[self.places[row].1] += value;
            }
            for r in 0..size {
                let sum: f64 = (0..r).map(|c| block.lower[r * size + c] * x[c]).sum();
                x[r] = (x[r] - sum) / block.lower[r * size + r];
            }
            result.extend(block.coordinates.iter().copied().zip(x).filter(|entry| entry.1 != 0.0));
        }
        result
    }
}

impl MassBlock {
    fn factorize(&mut self) -> Result<(), String> {
        let size = self.coordinates.len();
        for c in 0..size {
            for r in c..size {
                let sum: f64 = (0..c).map(|k| self.lower[r * size + k] * self.lower[c * size + k]).sum();
                let value = self.lower[r * size + c] - sum;
                if r > c {
                    self.lower[r * size + c] = value / self.lower[c * size + c];
                } else if value > 0.0 && value.is_finite() {
                    self.lower[c * size + c] = value.sqrt();
                } else {
                    let coordinate = self.coordinates[c];
                    return Err(format!(
                        "`M` has no positive mass at coordinate {coordinate}: elimination finds {value:e}"
                    ));
                }
            }
        }
        Ok(())
    }
}
