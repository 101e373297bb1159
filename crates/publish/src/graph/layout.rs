//! Layers from left to right (Sugiyama): a page stands as far to the right as it is from the entry,
//! and within its layer where its neighbours pull it (barycentres, a few sweeps).

/// Sweeps over the layers; more changed no crossing count on the bundled sites.
const SWEEPS: usize = 4;

/// Where nodes are put.
pub(super) struct Layout {
    /// The upper left corner of each node.
    pub at: Vec<(f64, f64)>,
    pub width: f64,
    pub height: f64,
}

/// The room that a node takes and that is left between two.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub width: f64,
    pub height: f64,
    pub across: f64,
    pub down: f64,
}

/// Lays out nodes by their layers. A layer that is too tall becomes several columns.
pub(super) fn layout(layers: &[usize], lines: &[(usize, usize)], room: Room) -> Layout {
    let count = layers.iter().max().map_or(0, |last| last + 1);
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (node, layer) in layers.iter().enumerate() {
        columns[*layer].push(node);
    }
    order(&mut columns, layers, lines);
    // Twice as wide as tall is what fits a screen.
    let area = layers.len() as f64 * (room.width + room.across) * (room.height + room.down);
    let most_rows = ((area / 2.0).sqrt() / (room.height + room.down)).ceil().max(16.0) as usize;
    let mut at = vec![(0.0, 0.0); layers.len()];
    let rows = columns.iter().map(|column| column.len().min(most_rows)).max().unwrap_or(0);
    let height = rows as f64 * (room.height + room.down);
    let mut x = 0.0;
    for column in &columns {
        for part in column.chunks(most_rows) {
            let own = part.len() as f64 * (room.height + room.down);
            for (row, node) in part.iter().enumerate() {
                let y = (height - own) / 2.0 + row as f64 * (room.height + room.down);
                at[*node] = (x, y);
            }
            x += room.width + if column.len() > most_rows { room.down * 2.0 } else { 0.0 };
            if column.len() <= most_rows {
                x += room.across;
            }
        }
        if column.len() > most_rows {
            x += room.across;
        }
    }
    Layout { at, width: (x - room.across).max(room.width), height }
}

/// Orders each layer by the mean place of its nodes' neighbours in the layers beside it.
fn order(columns: &mut [Vec<usize>], layers: &[usize], lines: &[(usize, usize)]) {
    let mut place = vec![0.0; layers.len()];
    let settle = |column: &[usize], place: &mut Vec<f64>| {
        let scale = 1.0 / column.len().max(1) as f64;
        for (row, node) in column.iter().enumerate() {
            place[*node] = (row as f64 + 0.5) * scale;
        }
    };
    columns.iter().for_each(|column| settle(column, &mut place));
    let mut beside = vec![Vec::new(); layers.len()];
    for (from, to) in lines {
        if layers[*from].abs_diff(layers[*to]) == 1 {
            beside[*from].push(*to);
            beside[*to].push(*from);
        }
    }
    for sweep in 0..SWEEPS {
        let forward = sweep % 2 == 0;
        let mut ordinal: Vec<usize> = (0..columns.len()).collect();
        if !forward {
            ordinal.reverse();
        }
        for layer in ordinal {
            let pull = |node: &usize| {
                let wanted = |other: &&usize| (layers[**other] < layer) == forward;
                let (mut sum, mut count) = (0.0, 0);
                for other in beside[*node].iter().filter(wanted) {
                    sum += place[*other];
                    count += 1;
                }
                if count == 0 { place[*node] } else { sum / f64::from(count) }
            };
            let column = &mut columns[layer];
            let mut pulled: Vec<_> = column.iter().map(|node| (pull(node), *node)).collect();
            pulled.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            *column = pulled.into_iter().map(|(_, node)| node).collect();
            settle(column, &mut place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { width: 10.0, height: 10.0, across: 10.0, down: 5.0 };

    #[test]
    fn crossing_lines_are_uncrossed() {
        // 0 leads to 1 and 2; 1 leads to 4 and 2 leads to 3, which would cross.
        let laid = layout(&[0, 1, 1, 2, 2], &[(0, 1), (0, 2), (1, 4), (2, 3)], ROOM);
        let y = |node: usize| laid.at[node].1;
        assert_eq!(y(1) < y(2), y(4) < y(3));
        assert!(laid.at[0].0 < laid.at[1].0 && laid.at[1].0 < laid.at[3].0);
    }

    #[test]
    fn no_two_nodes_share_a_place_and_all_are_inside() {
        let layers: Vec<usize> =
            (0..3_000).map(|node| if node == 0 { 0 } else { 1 + node % 2 }).collect();
        let lines: Vec<_> = (1..3_000).map(|node| (0, node)).collect();
        let laid = layout(&layers, &lines, ROOM);
        let mut places: Vec<_> = laid.at.iter().map(|(x, y)| (*x as i64, *y as i64)).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 3_000);
        assert!(
            laid.at.iter().all(|(x, y)| *x + 10.0 <= laid.width + 0.1 && *y + 10.0 <= laid.height)
        );
        assert!(laid.width < laid.height * 6.0 && laid.height < laid.width * 6.0);
    }

    #[test]
    fn nothing_is_laid_out_as_nothing() {
        assert!(layout(&[], &[], ROOM).at.is_empty());
    }
}
