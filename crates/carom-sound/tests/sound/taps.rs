//! Contacts on a body with modes: partials, decay, amplitudes, damping by contacts, silence at rest.

use carom_modal::{ModalParams, Wanted, material, modes_of};
use carom_object::{Damping, ModalModel};
use carom_shape::{Bvh, named};
use carom_sound::fourier;
use carom_sound::synthesis::{Contact, ContactDamping, Excitation, ExcitationParams, Outlet, PERIOD, Voice};
use glam::DVec3;

const RATE: f64 = 48_000.0;

/// A steel bar of 20 cm in coarse cells.
fn bar() -> ModalModel {
    let body = named("bar", &Default::default()).unwrap().body("bar", Some(0.01)).unwrap();
    let params = ModalParams { wanted: Wanted::Lowest(8), cell_size: Some(0.01), ..ModalParams::default() };
    modes_of(&body, material("steel").unwrap(), &params, &|_, _| {}).unwrap().0
}

fn touch(start: f64, span: f64, point: DVec3, impulse: DVec3) -> Contact {
    let normal = impulse.normalize_or_zero();
    Contact { start, span, feature: point.x.to_bits(), point, normal, impulse, friction: 0.3, impact: None }
}

/// What an outlet that hears each mode by itself would: all modes one after the other.
fn rings(
    model: &ModalModel,
    damping: Damping,
    contacts: &[Contact],
    params: ExcitationParams,
    samples: usize,
) -> Vec<Vec<f64>> {
    let excitation = Excitation::new(model, &Bvh::new(&model.surface), contacts, &params).unwrap();
    let mut voice = Voice::new(model, &damping, excitation, 20_000.0, RATE);
    let count = voice.bank().len();
    let outlets: Vec<Outlet> =
        (0..count).map(|m| Outlet::new((0..count).map(|i| (f64::from(u8::from(i == m)), 0.0)))).collect();
    let mut all = vec![Vec::new(); count];
    while all[0].len() < samples {
        let mut heard = vec![[0.0; PERIOD]; count];
        voice.next(&outlets.iter().collect::<Vec<_>>(), &mut heard);
        all.iter_mut().zip(&heard).for_each(|(all, heard)| all.extend(heard));
    }
    all
}

fn loudest(samples: &[f64]) -> f64 {
    samples.iter().fold(0.0, |most, x| most.max(x.abs()))
}

/// The strongest frequency around an expected one: the peak of the spectrum, refined by a parabola in decibels.
fn partial(signal: &[f64], expected: f64) -> f64 {
    let size = 32_768;
    let hann = |n: usize| 0.5 - 0.5 * (std::f64::consts::TAU * n as f64 / size as f64).cos();
    let mut re: Vec<f64> = (0..size).map(|n| hann(n) * signal[n]).collect();
    let mut im = vec![0.0; size];
    fourier(&mut re, &mut im);
    let level = |i: usize| re[i].hypot(im[i]).ln();
    let middle = (expected * size as f64 / RATE) as usize;
    let peak = (middle - 40..middle + 40).max_by(|&a, &b| level(a).total_cmp(&level(b))).unwrap();
    let (a, b, c) = (level(peak - 1), level(peak), level(peak + 1));
    (peak as f64 + 0.5 * (a - c) / (a - 2.0 * b + c)) * RATE / size as f64
}

#[test]
fn partials_of_a_tap_are_the_damped_modes_with_their_decay_and_the_strength_of_their_shapes() {
    let model = bar();
    let damping = Damping { alpha: 6.0, beta: 2e-8, gamma: 0.0 };
    let point = DVec3::new(0.1, 0.002, 0.001);
    let blow = touch(0.0, 0.0, point, 0.01 * DVec3::new(-0.3, -0.8, 0.4));
    let modes = rings(&model, damping, &[blow], ExcitationParams::default(), 40_000);
    let hierarchy = Bvh::new(&model.surface);
    let place = hierarchy.closest_point(point).unwrap();
    let mut shapes = Vec::new();
    model.shapes_on_triangle(place.triangle, place.barycentric.into(), &mut shapes);
    assert_eq!(modes.len(), 8);
    for (mode, ring) in modes.iter().enumerate() {
        let omega = model.angular_frequency(mode);
        let decay = 0.5 * (6.0 + 2e-8 * omega * omega);
        let expected = (omega * omega - decay * decay).sqrt() / std::f64::consts::TAU;
        let strength = shapes[mode].dot(blow.impulse);
        assert!((ring[0] - strength).abs() < 1e-9 * strength.abs().max(1e-6), "mode {mode}: {} {strength}", ring[0]);
        if strength.abs() < 1e-5 {
            continue;
        }
        let frequency = partial(ring, expected);
        assert!((frequency / expected - 1.0).abs() < 1e-3, "mode {mode}: {frequency} Hz, expected {expected} Hz");
        // Decay from windows of whole periods.
        let (early, late) = (loudest(&ring[4_800..5_800]), loudest(&ring[14_400..15_400]));
        let found = (early / late).ln() / 0.2;
        assert!((found / decay - 1.0).abs() < 0.01, "mode {mode}: {found} 1/s, expected {decay} 1/s");
    }
}

/// A bar that lies on points and is touched steadily, after a blow.
fn lying(model: &ModalModel, points: &[f64], force: f64) -> Vec<Contact> {
    let step = 1e-3;
    let mut contacts = vec![touch(0.0, 0.0, DVec3::new(0.03, 0.005, 0.0), -0.01 * DVec3::Y)];
    for i in 1..400 {
        let under = |&x: &f64| touch(f64::from(i) * step, step, DVec3::new(x, -0.005, 0.0), force * step * DVec3::Y);
        contacts.extend(points.iter().map(under));
    }
    assert!(model.mode_count() > 0);
    contacts
}

#[test]
fn a_contact_damps_a_mode_by_its_force_and_the_motion_under_it() {
    let model = bar();
    let damping = Damping { alpha: 4.0, beta: 0.0, gamma: 0.3 };
    // With 40 N it dies at 154 1/s, too, but only down to 1e-7 of 2e-2 m/s: there the load itself, told sample by sample, is heard, and the second
    // window would measure that.
    let (x, force) = (0.1, 4.0);
    let params = ExcitationParams { gamma: 0.3, redistribute: false, ..ExcitationParams::default() };
    let modes = rings(&model, damping, &lying(&model, &[x], force), params, 19_200);
    let hierarchy = Bvh::new(&model.surface);
    let place = hierarchy.closest_point(DVec3::new(x, -0.005, 0.0)).unwrap();
    let mut shapes = Vec::new();
    model.shapes_on_triangle(place.triangle, place.barycentric.into(), &mut shapes);
    for (mode, ring) in modes.iter().enumerate().filter(|(_, ring)| ring[0].abs() > 1e-3).take(3) {
        let shape = shapes[mode];
        // Eq. 20 with n = y: γ c (u_y² + μ(u_x² + u_z²)).
        let contact = 0.3 * force * (shape.y * shape.y + 0.3 * (shape.x * shape.x + shape.z * shape.z));
        let expected = 0.5 * (4.0 + contact);
        let (early, late) = (loudest(&ring[2_400..3_400]), loudest(&ring[7_200..8_200]));
        let found = (early / late).ln() / 0.1;
        assert!(
            contact > 5.0 && (found / expected - 1.0).abs() < 0.02,
            "mode {mode}: {found} 1/s, expected {expected}"
        );
    }
}

#[test]
fn dampers_of_contacts_with_clocks_of_their_own_add_up_and_keep_their_mean() {
    let model = bar();
    let hierarchy = Bvh::new(&model.surface);
    let params = ExcitationParams { gamma: 0.3, redistribute: false, ..ExcitationParams::default() };
    // From 10 to 20 ms one touches in steps of a millisecond, the other in one long step.
    let [left, right] = [-0.09, 0.04].map(|x| DVec3::new(x, -0.005, 0.0));
    let many = (10..20).map(|i| touch(1e-3 * f64::from(i), 1e-3, left, 2e-3 * DVec3::Y)).collect::<Vec<_>>();
    let one = vec![touch(0.01, 0.01, right, 0.03 * DVec3::Y)];
    let mean = |contacts: &[Contact], from: f64, to: f64| {
        let excitation = Excitation::new(&model, &hierarchy, contacts, &params).unwrap();
        let mut rates = vec![0.0; model.mode_count()];
        ContactDamping::new(excitation.grips).add_mean(from, to, &mut rates);
        rates
    };
    // Alone, each is fully there in the middle of its steps.
    let full = |contacts: &[Contact], mode: usize| {
        let grips = Excitation::new(&model, &hierarchy, contacts, &params).unwrap().grips;
        grips.iter().map(|grip| grip.rates[mode]).fold(0.0, f64::max)
    };
    let both = [one.clone(), many.clone()].concat();
    for [from, to] in [[0.012, 0.018], [0.0, 0.03], [0.022, 0.03]] {
        for (mode, found) in mean(&both, from, to).into_iter().enumerate() {
            let sum = full(&many, mode) + full(&one, mode);
            let expected = sum * (to.min(0.02) - from.max(0.01)).max(0.0) / (to - from);
            assert!((found - expected).abs() <= 1e-9 * sum, "mode {mode}: {found} instead of {expected}");
        }
    }
}

#[test]
fn the_diagonal_and_the_full_matrix_agree_where_one_mode_moves_and_both_only_take() {
    let model = bar().with_modes(2);
    let damping = Damping { alpha: 4.0, beta: 0.0, gamma: 0.3 };
    let contacts = lying(&model, &[0.1], 10.0);
    let rings_of = |keep_dampers| {
        let params = ExcitationParams { gamma: 0.3, redistribute: false, keep_dampers };
        rings(&model, damping, &contacts, params, 9_600)
    };
    let (diagonal, full) = (rings_of(false), rings_of(true));
    for (diagonal, full) in diagonal.iter().zip(&full).filter(|(ring, _)| ring[0].abs() > 1e-3) {
        let (a, b) = (loudest(&diagonal[8_000..]), loudest(&full[8_000..]));
        assert!((a / b - 1.0).abs() < 0.1 && a < 0.5 * loudest(&diagonal[..1_000]), "{a} {b}");
    }
}

#[test]
fn a_bar_at_rest_is_silent_while_its_load_wanders_among_its_supports() {
    let model = bar();
    // So much that the beginning of the load has died away.
    let damping = Damping { alpha: 40.0, beta: 3e-8, gamma: 0.0 };
    let points = [-0.09, -0.05, -0.02, 0.02, 0.05, 0.09];
    let (weight, step) = (1.5, 1e-3);
    // A solver that picks other supports in every step, always with the same force and torque.
    let mut contacts = Vec::new();
    for i in 0..800 {
        let pick = i % 3;
        for (k, &x) in points.iter().enumerate() {
            let share = if k == pick || k == 5 - pick { 0.5 * weight * step } else { 0.0 };
            let normal = DVec3::Y;
            let touch = touch(i as f64 * step, step, DVec3::new(x, -0.005, 0.0), share * DVec3::Y);
            contacts.push(Contact { normal, ..touch });
        }
    }
    let noise = |redistribute| {
        let params = ExcitationParams { redistribute, ..ExcitationParams::default() };
        let modes = rings(&model, damping, &contacts, params, 38_400);
        modes.iter().map(|ring| loudest(&ring[28_800..])).fold(0.0, f64::max)
    };
    let (spread, left) = (noise(true), noise(false));
    assert!(spread < 1e-3 * left, "{spread} spread, {left} as it was");
    let blow = touch(0.0, 0.0, DVec3::new(0.09, 0.005, 0.0), -0.01 * DVec3::Y);
    let impact = rings(&model, damping, &[blow], ExcitationParams::default(), 4_800);
    let impact = impact.iter().map(|ring| loudest(ring)).fold(0.0, f64::max);
    assert!(spread < 1e-4 * impact, "−80 dB of an impact of {impact}: {spread}");
}

#[test]
fn contacts_that_are_none_are_refused_with_their_number() {
    let model = bar().with_modes(1);
    let fine = touch(0.0, 1e-3, DVec3::ZERO, DVec3::Y);
    let refuse = |contact: Contact| {
        let contacts = [fine, contact];
        let result = Excitation::new(&model, &Bvh::new(&model.surface), &contacts, &ExcitationParams::default());
        result.unwrap_err().to_string()
    };
    assert_eq!(refuse(Contact { span: -1.0, ..fine }), "contact 1: span is -1, expected zero or more, and finite");
    assert!(refuse(Contact { impulse: DVec3::NAN, ..fine }).starts_with("contact 1: impulse is NaN"));
    assert!(refuse(Contact { impact: Some((0.0, f64::INFINITY)), ..fine }).contains("duration of the impact is inf"));
}
