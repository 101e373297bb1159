//! A chart of a few lines, as one SVG file.

use indicatif::HumanCount;
use std::fmt::Write as _;

/// Lines over common axes that begin at zero.
pub struct Chart {
    pub title: String,
    pub across: String,
    pub up: String,
    pub lines: Vec<Line>,
}

/// One line.
pub struct Line {
    pub name: String,
    pub colour: &'static str,
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;
/// Ticks on an axis, about.
const TICKS: f64 = 5.0;

impl Chart {
    /// Draws it.
    pub fn to_svg(&self) -> String {
        let largest = |of: fn(&(f64, f64)) -> f64| {
            self.lines.iter().flat_map(|line| &line.points).map(of).fold(1.0, f64::max)
        };
        let (step_x, step_y) = (tick(largest(|point| point.0)), tick(largest(|point| point.1)));
        let (most_x, most_y) =
            (ceiling(largest(|point| point.0), step_x), ceiling(largest(|point| point.1), step_y));
        let x = |value: f64| LEFT + value / most_x * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| HEIGHT - BOTTOM - value / most_y * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"28\" font-size=\"16\">{}</text>\n",
            escaped(&self.title)
        );
        let (bottom, right) = (y(0.0), x(most_x));
        for value in ticks(most_y, step_y) {
            let (at, text) = (y(value), number(value));
            // Writing to a string cannot fail.
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{right:.1}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                LEFT - 8.0,
                at + 4.0
            );
        }
        for value in ticks(most_x, step_x) {
            let (at, text) = (x(value), number(value));
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {bottom:.1}v5\" stroke=\"#222\"/>\
                 <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                bottom + 20.0
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {TOP}V{bottom:.1}H{right:.1}\" fill=\"none\" stroke=\"#222\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 14.0,
            escaped(&self.across),
            (TOP + bottom) / 2.0,
            escaped(&self.up)
        );
        for (place, line) in self.lines.iter().enumerate() {
            let points: Vec<String> =
                line.points.iter().map(|(a, b)| format!("{:.1},{:.1}", x(*a), y(*b))).collect();
            let legend = TOP + 8.0 + place as f64 * 20.0;
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
                 <path d=\"M{:.1} {legend:.1}h24\" stroke=\"{colour}\" stroke-width=\"2\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                points.join(" "),
                LEFT + 16.0,
                LEFT + 48.0,
                legend + 4.0,
                escaped(&line.name),
                colour = line.colour,
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// A distance between ticks that is 1, 2 or 5 times a power of ten.
fn tick(most: f64) -> f64 {
    let raw = (most / TICKS).max(f64::MIN_POSITIVE);
    let power = 10_f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= raw).unwrap_or(10.0);
    factor * power
}

fn ceiling(most: f64, step: f64) -> f64 {
    (most / step).ceil() * step
}

fn ticks(most: f64, step: f64) -> impl Iterator<Item = f64> {
    let count = (most / step).round() as u32;
    (0..=count).map(move |tick| f64::from(tick) * step)
}

fn number(value: f64) -> String {
    match value.fract() == 0.0 {
        true => HumanCount(value as u64).to_string(),
        false => format!("{value:.2}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_well_formed_and_its_lines_stay_inside() {
        let chart = Chart {
            title: "events & <pages>".into(),
            across: "pages".into(),
            up: "events".into(),
            lines: vec![
                Line {
                    name: "a".into(),
                    colour: "#000",
                    points: vec![(0.0, 0.0), (2000.0, 2100.0)],
                },
                Line { name: "b".into(), colour: "#f00", points: vec![(700.0, 61_234.0)] },
            ],
        };
        let svg = chart.to_svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let lines: Vec<_> =
            document.descendants().filter(|node| node.has_tag_name("polyline")).collect();
        assert_eq!(lines.len(), 2);
        for point in lines.iter().flat_map(|line| line.attribute("points").unwrap().split(' ')) {
            let (x, y) = point.split_once(',').unwrap();
            assert!((LEFT..=WIDTH - RIGHT).contains(&x.parse().unwrap()), "{point}");
            assert!((TOP..=HEIGHT - BOTTOM).contains(&y.parse().unwrap()), "{point}");
        }
        assert!(svg.contains(">2,000<") && svg.contains(">80,000<"), "{svg}");
    }

    #[test]
    fn a_chart_without_points_still_has_axes() {
        let chart = Chart {
            title: String::new(),
            across: String::new(),
            up: String::new(),
            lines: Vec::new(),
        };
        assert!(roxmltree::Document::parse(&chart.to_svg()).is_ok());
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!([1.0, 7.0, 2_000.0, 61_234.0].map(tick), [0.2, 2.0, 500.0, 20_000.0]);
    }
}
