//! What the page asks of the engine: one strike at the point that was clicked.

use carom::bounce::{Method, Params, Series, Site, strike_series};
use glam::DVec3;
use serde_json::{Value, json};

use super::http::Request;
use super::shown::Shown;

/// Points of the course of a strike that the page draws.
const POINTS: usize = 400;

/// Strikes an object at `triangle` with the weights `u`, `v` of its first two corners, straight on at 1 m/s.
pub fn strike(shown: &Shown, request: &Request) -> Result<Value, String> {
    let Shown::Object(shown) = shown else { return Err("only objects are struck".into()) };
    let number = |key: &str| {
        let text = request.query(key).ok_or_else(|| format!("{key} is missing"))?;
        text.parse::<f64>()
            .ok()
            .filter(|x| x.is_finite())
            .ok_or_else(|| format!("{key} is '{text}', expected a number"))
    };
    let model = &shown.object.modal;
    let text = request.query("triangle").unwrap_or_default();
    let triangle: usize = text.parse().map_err(|_| format!("triangle is '{text}', expected a whole number"))?;
    if triangle >= model.surface.triangles.len() {
        return Err(format!("there is no triangle {triangle}: the surface has {}", model.surface.triangles.len()));
    }
    let (u, v) = (number("u")?, number("v")?);
    let weights = DVec3::new(u, v, 1.0 - u - v);
    if weights.min_element() < -1e-6 {
        return Err(format!("the weights {u}, {v} lie outside the triangle"));
    }
    let normal = model.surface.area_vector(triangle).try_normalize().ok_or("the triangle has no area")?;
    let site = Site::on(model, triangle, weights, normal).map_err(|error| error.to_string())?;
    let params = Params { method: Method::Exact, ..Params::default() };
    let (strike, series) = strike_series(&site, &params).map_err(|error| error.to_string())?;
    Ok(json!({
        "restitution": strike.restitution,
        "contact_time": strike.contact_time,
        "micro_collisions": strike.micro_collisions,
        "modal_energy": strike.modal_energy,
        "energy_before": 0.5 * site.mass * params.speed * params.speed,
        "timed_out": strike.timed_out,
        "series": thinned(&series),
    }))
}

/// The gap and the impulse so far, at instants spread over the strike.
fn thinned(series: &Series) -> Value {
    let total: f64 = series.impulse.iter().sum();
    let last = series.time.len().saturating_sub(1);
    let count = POINTS.min(series.time.len());
    let (mut time, mut gap, mut impulse) = (Vec::new(), Vec::new(), Vec::new());
    let (mut sum, mut next) = (0.0, 0);
    for i in 0..series.time.len() {
        sum += series.impulse[i];
        if i * (count.max(2) - 1) >= next * last {
            time.push(series.time[i]);
            gap.push(series.gap[i]);
            impulse.push(if total > 0.0 { sum / total } else { 0.0 });
            next += 1;
        }
    }
    json!({ "time": time, "gap": gap, "impulse_share": impulse })
}
