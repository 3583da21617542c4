//! Generalized reflections (Reflections, Alg. 2), with some contacts inelastic.
//!
//! Contacts are *elastic* or *held*. In turn, held contacts stop approaching (Alg. 1), and all elastic contacts that
//! approach are reflected at once, together with the held contacts at rest, which pass the blow on. With no contact held this is
//! generalized reflection: energy is kept to round-off. With all held it is the inelastic impact. Each solve
//! keeps or loses energy. Only contacts of bodies that have just changed are looked at: a front that moves.
//!
//! It ends unless contacts are jammed: some pushes y ≥ 0 balance, Gy = 0, so that no velocity is strictly admissible.
//! Endless reflections would pile up just such pushes, which is how a jam is found; its contacts are then held. Where pushes nearly balance, as
//! on boxes that fill a box, reflections end, but after as many as the admissible velocities are few; beyond a bound on the work this is a jam as well.
//! Between held and elastic contacts a grain may also rattle for ever smaller losses (inelastic collapse): it is held in the end.

use carom_solve::{Columns, Problem, SolveReport, Solver};

use crate::island::{Island, distinct};

/// Reflections before a jam is looked for the first time; then twice as many each time.
const FIRST_WINDOW: usize = 64;
/// A window of this many reflections ends by holding every contact that pushes again and again. With more contacts than a few this happens
/// sooner, by the square of their number, since a reflection costs more.
const LAST_WINDOW: usize = 1 << 17;
const FEW: usize = 6;
/// But not sooner than after so many, nor among more contacts than these: through a large crystal waves run for as long.
const LEAST_WINDOW: usize = 1 << 9;
const CRYSTAL: usize = 1 << 12;

/// Among held contacts, an elastic one that was reflected so often only rattles away its energy.
const RATTLES: u32 = 500;

/// What reflections did to one island.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Course {
    /// Complementarity problems solved.
    pub solves: usize,
    /// Rounds within them, steps of interior points among these, and matrices factorized.
    pub rounds: usize,
    pub interior_points: usize,
    pub factorizations: usize,
    /// Contacts looked at for whether they close, each as often as it was.
    pub examined: usize,
    /// The largest relative residual.
    pub residual: f64,
    /// Energy that was lost, and what jams took of it, J.
    pub lost: f64,
    pub jam: f64,
    /// Contacts held because they were jammed.
    pub jammed: usize,
    /// Whether bodies of prescribed motion squeeze others: there is no admissible velocity.
    pub squeezed: bool,
}

/// The state of one impact as reflections proceed.
#[derive(Debug, Default)]
pub(crate) struct Reflector<C> {
    w: Vec<f64>,
    pub impulses: Vec<f64>,
    /// Which contacts are held, that is, inelastic.
    held: Vec<bool>,
    any_joint: bool,
    any_held: bool,
    /// Whether a contact, not only a joint, is held.
    any_inelastic: bool,
    /// Whether only jams have made contacts inelastic: then all energy that is lost is theirs.
    only_jams: bool,
    /// How often each contact was reflected among held ones.
    rattles: Vec<u32>,
    /// The largest |w| that each block has had.
    speeds: Vec<f64>,
    /// Blocks whose velocity changed since their contacts were looked at.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    /// Impulses since the last look for a jam.
    window: Vec<f64>,
    /// How often each contact pushed in that time, and the most of it.
    pushes: Vec<u32>,
    most_pushes: u32,
    chosen: Vec<u32>,
    is_chosen: Vec<bool>,
    linear: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    push: Vec<f64>,
    delta: Vec<f64>,
    delta_blocks: Vec<u32>,
    is_touched: Vec<bool>,
    solver: Solver<C>,
    course: Course,
}

impl<C: Columns> Reflector<C> {
    /// Resolves an island that moves with a velocity; `elastic` says which contacts are reflected, the others are held.
    /// Leaves the impulses in `impulses`.
    pub fn run(&mut self, island: &Island<C>, velocity: &[f64], elastic: impl Fn(usize) -> bool) -> Course {
        self.start(island, velocity, elastic);
        let mut window = FIRST_WINDOW;
        let mut left = window;
        loop {
            if self.any_held {
                self.stop_held(island);
            }
            self.choose(island, |this, i| !this.held[i] && island.violated(i, &this.w, &this.speeds));
            if self.chosen.is_empty() || self.course.squeezed || carom_solve::is_interrupted() {
                self.close_window();
                return self.course;
            }
            if self.any_inelastic && self.hold_rattling() {
                continue;
            }
            if left == 0 {
                // In a jam the same contacts push again and again; a wave passes each of them a few times.
                let again = f64::from(self.most_pushes) >= 2.0 * (window as f64).sqrt();
                let more = island.len().max(FEW);
                let enough = (LAST_WINDOW * FEW * FEW / (more * more)).max(LEAST_WINDOW);
                let last = window >= if again && more <= CRYSTAL { enough } else { LAST_WINDOW };
                if (again || last) && self.hold_jam(island, last) {
                    self.close_window();
                    left = window;
                    continue;
                }
                self.close_window();
                window *= 2;
                left = window;
            }
            left -= 1;
            self.reflect(island);
        }
    }

    fn start(&mut self, island: &Island<C>, velocity: &[f64], elastic: impl Fn(usize) -> bool) {
        let (count, blocks) = (island.len(), island.normals.blocks());
        self.course = Course::default();
        self.w.clear();
        self.w.extend_from_slice(velocity);
        self.delta.clear();
        self.delta.resize(self.w.len(), 0.0);
        for list in [&mut self.impulses, &mut self.window] {
            list.clear();
            list.resize(count, 0.0);
        }
        self.pushes.clear();
        self.pushes.resize(count, 0);
        self.most_pushes = 0;
        self.held.clear();
        self.held.extend((0..count).map(|i| island.joint[i] || !elastic(i)));
        self.any_joint = island.joint.contains(&true);
        self.any_held = self.held.contains(&true);
        self.any_inelastic = (0..count).any(|i| self.held[i] && !island.joint[i]);
        self.only_jams = !self.any_inelastic;
        self.rattles.clear();
        self.rattles.resize(count, 0);
        self.is_chosen.clear();
        self.is_chosen.resize(count, false);
        self.is_touched.clear();
        self.is_touched.resize(blocks, false);
        self.speeds.clear();
        self.speeds.extend((0..blocks as u32).map(|block| island.speed(block, &self.w)));
        // A blow is about to move even what rests: beside it, what rest has left of speed is round-off.
        for contact in 0..count {
            let blow = island.blow(contact, &self.w);
            for (block, speed) in island.normals.blocks_of(contact).into_iter().zip(blow) {
                self.speeds[block as usize] = self.speeds[block as usize].max(speed);
            }
        }
        self.changed.clear();
        self.changed.extend(0..blocks as u32);
        self.is_changed.clear();
        self.is_changed.resize(blocks, true);
    }

    /// Chooses, in order, the contacts of changed blocks that satisfy a condition.
    fn choose(&mut self, island: &Island<C>, condition: impl Fn(&Self, usize) -> bool) {
        let mut chosen = std::mem::take(&mut self.chosen);
        chosen.clear();
        if self.changed.len() == island.normals.blocks() {
            self.course.examined += island.len();
            chosen.extend((0..island.len() as u32).filter(|&i| condition(self, i as usize)));
        } else {
            for &block in &self.changed {
                self.course.examined += island.contacts_of(block).len();
                for &i in island.contacts_of(block) {
                    // A contact is met once for each of its blocks; the lower one that has changed counts.
                    let [a, b] = island.normals.blocks_of(i as usize);
                    let other = if a == block { b } else { a };
                    if (other >= block || !self.is_changed[other as usize]) && condition(self, i as usize) {
                        chosen.push(i);
                    }
                }
            }
            chosen.sort_unstable();
        }
        self.chosen = chosen;
    }

    /// Adds to the chosen contacts all held ones that are connected to them through held contacts satisfying a condition.
    fn spread(&mut self, island: &Island<C>, condition: impl Fn(&Self, usize) -> bool) {
        let mut chosen = std::mem::take(&mut self.chosen);
        chosen.iter().for_each(|&i| self.is_chosen[i as usize] = true);
        let mut next = 0;
        while next < chosen.len() {
            for block in distinct(island.normals.blocks_of(chosen[next] as usize)) {
                for &i in island.contacts_of(block) {
                    let contact = i as usize;
                    if self.held[contact] && !self.is_chosen[contact] && condition(self, contact) {
                        self.is_chosen[contact] = true;
                        chosen.push(i);
                    }
                }
            }
            next += 1;
        }
        chosen.iter().for_each(|&i| self.is_chosen[i as usize] = false);
        chosen.sort_unstable();
        self.chosen = chosen;
    }

    /// No held contact approaches and no joint moves any more: the inelastic impact of all held contacts. Returns the energy lost.
    fn stop_held(&mut self, island: &Island<C>) -> f64 {
        self.choose(island, |this, i| this.held[i] && island.violated(i, &this.w, &this.speeds));
        if self.chosen.is_empty() {
            return 0.0;
        }
        self.spread(island, |_, _| true);
        self.linear.clear();
        for &i in &self.chosen {
            self.linear.push(island.opening(i as usize, &self.w));
        }
        self.solve(island);
        let (slope, curvature) = self.measure(island);
        self.apply(island, 1.0);
        let lost = -(slope + 0.5 * curvature);
        self.lose(lost);
        lost
    }

    /// Whether what is lost now is lost by jams.
    fn is_jammed(&self) -> bool {
        self.only_jams && self.any_inelastic
    }

    /// Reflects the chosen contacts; held contacts at rest stay at rest.
    fn reflect(&mut self, island: &Island<C>) {
        if self.any_held {
            self.spread(island, |this, i| {
                island.joint[i] || island.opening(i, &this.w) <= island.still + 10.0 * island.noise(i, &this.speeds)
            });
        }
        self.linear.clear();
        let mut elastic = true;
        for &i in &self.chosen {
            let opening = island.opening(i as usize, &self.w);
            let held = self.held[i as usize];
            elastic &= !held || island.joint[i as usize];
            self.linear.push(if held { opening } else { 2.0 * opening });
        }
        self.changed.iter().for_each(|&block| self.is_changed[block as usize] = false);
        self.changed.clear();
        self.solve(island);
        // Along the push the energy is slope θ + ½ curvature θ²: the other root is where it is as before.
        let (slope, curvature) = self.measure(island);
        let gains = slope + 0.5 * curvature > 0.0;
        let scale = if (elastic || gains) && curvature > 0.0 { -2.0 * slope / curvature } else { 1.0 };
        self.apply(island, scale);
        self.lose(-scale * (slope + 0.5 * scale * curvature));
    }

    /// Enters energy that was lost.
    fn lose(&mut self, energy: f64) {
        self.course.lost += energy;
        if self.is_jammed() {
            self.course.jam += energy;
        }
    }

    fn solve(&mut self, island: &Island<C>) {
        self.push.clear();
        self.push.resize(self.chosen.len(), 0.0);
        let problem = if self.any_joint {
            self.lower.clear();
            self.lower.extend(self.chosen.iter().map(|&i| island.least_impulse(i as usize)));
            self.upper.resize(self.chosen.len(), f64::INFINITY);
            Problem::boxed(&island.normals, &self.linear, &self.lower, &self.upper)
        } else {
            Problem::non_negative(&island.normals, &self.linear)
        };
        let SolveReport { residual, rounds, interior_points, factorizations, unbounded, .. } =
            self.solver.solve_subset(&problem, &self.chosen, &mut self.push);
        self.course.solves += 1;
        self.course.rounds += rounds;
        self.course.interior_points += interior_points;
        self.course.factorizations += factorizations;
        self.course.residual = self.course.residual.max(residual);
        if let Some(position) = unbounded {
            let worst = self.chosen[position];
            let opening = island.opening(worst as usize, &self.w);
            let closes = opening < -1e4 * island.noise(worst as usize, &self.speeds);
            if closes && island.drift.iter().any(|&drift| drift != 0.0) {
                self.course.squeezed = true;
            } else if closes {
                // Nothing is prescribed, so rest is admissible: these are jammed up to round-off.
                let chosen = std::mem::take(&mut self.chosen);
                self.hold_jammed(island, &chosen);
                self.chosen = chosen;
            } else {
                // In a jam, openings that are round-off need not fit together: those contacts are at rest.
                for (&i, &y) in self.chosen.iter().zip(&self.push) {
                    self.held[i as usize] |= y == 0.0;
                }
                (self.any_held, self.any_inelastic) = (true, true);
            }
        }
    }

    /// From now on these contacts are held, and looked at again.
    fn hold_jammed(&mut self, island: &Island<C>, contacts: &[u32]) {
        for &i in contacts {
            self.course.jammed += usize::from(!self.held[i as usize]);
            self.held[i as usize] = true;
            for block in distinct(island.normals.blocks_of(i as usize)) {
                if !self.is_changed[block as usize] {
                    self.is_changed[block as usize] = true;
                    self.changed.push(block);
                }
            }
        }
        (self.any_held, self.any_inelastic) = (true, true);
    }

    /// yᵀ(openings) and |Gy|² of the push; leaves Gy in `delta`.
    fn measure(&mut self, island: &Island<C>) -> (f64, f64) {
        let mut slope = 0.0;
        for (&i, &y) in self.chosen.iter().zip(&self.push) {
            if y == 0.0 {
                continue;
            }
            slope += y * island.opening(i as usize, &self.w);
            island.normals.add_scaled(i as usize, y, &mut self.delta);
            for block in distinct(island.normals.blocks_of(i as usize)) {
                if !self.is_touched[block as usize] {
                    self.is_touched[block as usize] = true;
                    self.delta_blocks.push(block);
                }
            }
        }
        let mut curvature = 0.0;
        for &block in &self.delta_blocks {
            curvature += self.delta[island.normals.range(block)].iter().map(|x| x * x).sum::<f64>();
        }
        (slope, curvature)
    }

    /// Adds the push, scaled, to velocity and impulses.
    fn apply(&mut self, island: &Island<C>, scale: f64) {
        for (&i, &y) in self.chosen.iter().zip(&self.push) {
            self.window[i as usize] += scale * y;
            self.pushes[i as usize] += u32::from(y > 0.0);
            self.most_pushes = self.most_pushes.max(self.pushes[i as usize]);
        }
        for &block in &self.delta_blocks {
            for k in island.normals.range(block) {
                self.w[k] += scale * std::mem::take(&mut self.delta[k]);
            }
            self.is_touched[block as usize] = false;
            self.speeds[block as usize] = self.speeds[block as usize].max(island.speed(block, &self.w));
            if !self.is_changed[block as usize] {
                self.is_changed[block as usize] = true;
                self.changed.push(block);
            }
        }
        self.delta_blocks.clear();
    }

    /// Holds chosen contacts that only rattle. Whether there are any.
    fn hold_rattling(&mut self) -> bool {
        let mut found = false;
        for &i in &self.chosen {
            let rattles = &mut self.rattles[i as usize];
            *rattles += 1;
            if *rattles > RATTLES {
                self.held[i as usize] = true;
                found = true;
            }
        }
        found
    }

    fn close_window(&mut self) {
        for (sum, window) in self.impulses.iter_mut().zip(&mut self.window) {
            *sum += std::mem::take(window);
        }
        self.pushes.fill(0);
        self.most_pushes = 0;
    }

    /// Looks for pushes that balance among those of the last window; holds their contacts. Whether there were any.
    fn hold_jam(&mut self, island: &Island<C>, last: bool) -> bool {
        let size = |i: usize| self.window[i] * island.length(i);
        let largest = (0..island.len()).filter(|&i| !island.joint[i]).map(size).fold(0.0, f64::max);
        // Contacts outside the jam stop pushing sooner or later; how soon is not known, so several shares are tried.
        let jam = [1e-6, 1e-3, 1e-2, 1e-1].iter().find_map(|share| {
            let pushes = |i: &u32| island.joint[*i as usize] || size(*i as usize) > share * largest;
            let members: Vec<u32> = (0..island.len() as u32).filter(pushes).collect();
            balanced(island, &members, &self.window).then_some(members)
        });
        let members = match jam {
            Some(members) => members,
            // Others pushed now and then while these did again and again.
            None if last => {
                (0..island.len() as u32).filter(|&i| 8 * self.pushes[i as usize] >= self.most_pushes).collect()
            }
            None => return false,
        };
        self.hold_jammed(island, &members);
        let lost = self.stop_held(island);
        self.course.jam += if self.is_jammed() { 0.0 } else { lost };
        true
    }
}

/// Whether there are x with Gx = 0 and x ≥ ½y on these contacts, with any pull of the joints among them.
fn balanced<C: Columns>(island: &Island<C>, members: &[u32], pushes: &[f64]) -> bool {
    if pushes_one_way(island, members) {
        return false;
    }
    let half = |&i: &u32| if island.joint[i as usize] { f64::NEG_INFINITY } else { 0.5 * pushes[i as usize] };
    let lower: Vec<f64> = members.iter().map(half).collect();
    let upper = vec![f64::INFINITY; members.len()];
    let linear = vec![0.0; members.len()];
    let mut x: Vec<f64> = members.iter().map(|&i| pushes[i as usize]).collect();
    let problem = Problem::boxed(&island.normals, &linear, &lower, &upper);
    Solver::default().solve_subset(&problem, members, &mut x);
    let mut sum = vec![0.0; island.normals.dimension()];
    let mut size = 0.0;
    for (&i, &x) in members.iter().zip(&x) {
        island.normals.add_scaled(i as usize, x, &mut sum);
        size += x.abs() * island.length(i as usize);
    }
    size > 0.0 && sum.iter().map(|x| x * x).sum::<f64>().sqrt() <= 1e-9 * size
}

/// Whether some block is pushed by these contacts into one half of all directions, so that they cannot balance there. Finds most
/// such blocks at little cost: the border of a wave that passes through a crystal has many.
fn pushes_one_way<C: Columns>(island: &Island<C>, members: &[u32]) -> bool {
    let mut sum = vec![0.0; island.normals.dimension()];
    members.iter().for_each(|&i| island.normals.add_scaled(i as usize, 1.0, &mut sum));
    let mut row = vec![0.0; sum.len()];
    let mut one_way = vec![None; island.normals.blocks()];
    for &i in members {
        island.normals.add_scaled(i as usize, 1.0, &mut row);
        for block in distinct(island.normals.blocks_of(i as usize)) {
            let range = island.normals.range(block);
            let along: f64 = row[range.clone()].iter().zip(&sum[range.clone()]).map(|(r, s)| r * s).sum();
            let square: f64 = row[range.clone()].iter().map(|r| r * r).sum();
            row[range].fill(0.0);
            // Beyond round-off, that is; and a joint pulls as well as it pushes.
            *one_way[block as usize].get_or_insert(true) &= along > 1e-6 * square && !island.joint[i as usize];
        }
    }
    one_way.contains(&Some(true))
}
