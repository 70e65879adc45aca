//! What is found when a line of the chain, or its end, is not as it was written.

use chrono::Duration;

use super::*;

const ORG: OrgId = OrgId(Uuid::from_u128(1));

/// Five lines as they are written, and the end that is kept of them.
fn chain() -> (Vec<Linked>, Kept) {
    let mut hash = BEGINNING;
    let lines: Vec<Linked> = (1..=5_u8)
        .map(|seq| {
            let entry = Entry {
                org_id: ORG,
                id: Uuid::from_u128(u128::from(seq)),
                at: DateTime::UNIX_EPOCH + Duration::minutes(i64::from(seq)),
                actor_kind: "visitor".to_owned(),
                actor_id: None,
                action: "lead_submitted".to_owned(),
                subject_id: None,
                ip: None,
                user_agent: None,
                request_id: None,
                key_id: None,
            };
            hash = entry.hash(&hash, i64::from(seq));
            Linked { entry, seq: i64::from(seq), hash: Some(hash.to_vec()) }
        })
        .collect();
    let kept =
        Kept { seq: Some(5), hash: Some(hash.to_vec()), adopted: Some(0), last: Some(5), lives: true, seen: Some(5) };
    (lines, kept)
}

fn hash_at(lines: &[Linked], seq: usize) -> Hash {
    hash_of(lines[seq - 1].hash.as_deref().unwrap()).unwrap()
}

fn anchor(seq: i64, hash: Hash) -> Anchor {
    Anchor { org: ORG, seq, hash }
}

fn walk(lines: &[Linked], kept: &Kept, anchors: Vec<Anchor>) -> Result<(), Fault> {
    let mut walk = Walk::new(anchors);
    lines.iter().try_for_each(|line| walk.step(line))?;
    walk.end(kept)
}

/// As somebody does who knows how it is reckoned: all from the first line on anew.
fn hash_anew(lines: &mut [Linked]) -> Kept {
    let mut hash = BEGINNING;
    for (at, line) in lines.iter_mut().enumerate() {
        line.seq = i64::try_from(at).unwrap() + 1;
        hash = line.entry.hash(&hash, line.seq);
        line.hash = Some(hash.to_vec());
    }
    let last = lines.last().map(|line| line.seq);
    Kept { seq: last, hash: Some(hash.to_vec()), adopted: Some(0), last, lives: true, seen: None }
}

#[test]
fn what_nobody_touched_holds() {
    let (lines, kept) = chain();
    let third = anchor(3, hash_at(&lines, 3));
    assert_eq!(walk(&lines, &kept, vec![third, anchor(5, hash_at(&lines, 5))]), Ok(()));
    assert_eq!(walk(&[], &Kept::default(), Vec::new()), Ok(()), "nothing was written yet");
}

#[test]
fn a_business_that_lives_has_lines() {
    let gone = Kept { lives: true, ..Kept::default() };
    assert_eq!(walk(&[], &gone, Vec::new()), Err(Fault::Cut { seq: 0 }));
    let (mut lines, kept) = chain();
    lines.truncate(2);
    let anew = Kept { seen: kept.seen, ..hash_anew(&mut lines) };
    assert_eq!(walk(&lines, &anew, Vec::new()), Err(Fault::Cut { seq: 2 }), "it began anew since it was looked at");
    assert_eq!(Fault::Cut { seq: 0 }.said(), "The log is gone: every line of it was removed.");
}

#[test]
fn the_first_line_that_was_changed_is_named() {
    let (mut lines, kept) = chain();
    lines[1].entry.action = "signed_out".to_owned();
    lines[3].entry.ip = Some("192.0.2.7".to_owned());
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(Fault::Altered { seq: 2, id: Uuid::from_u128(2) }));
    let (mut lines, kept) = chain();
    lines[2].hash = None;
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(Fault::Altered { seq: 3, id: Uuid::from_u128(3) }));
}

#[test]
fn a_line_that_was_removed_is_missed() {
    let (mut lines, kept) = chain();
    lines.remove(2);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(Fault::Missing { seq: 3 }));
    lines.remove(0);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(Fault::Missing { seq: 1 }));
}

#[test]
fn lines_that_changed_places_are_found() {
    let (mut lines, kept) = chain();
    (lines[1].seq, lines[3].seq) = (4, 2);
    lines.swap(1, 3);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(Fault::Altered { seq: 2, id: Uuid::from_u128(4) }));
}

#[test]
fn a_line_that_was_put_in_is_found() {
    let (mut lines, kept) = chain();
    let mut put_in = lines[1].clone();
    put_in.entry.id = Uuid::from_u128(77);
    put_in.seq = 3;
    for line in &mut lines[2..] {
        line.seq += 1;
    }
    lines.insert(2, put_in);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(Fault::Altered { seq: 3, id: Uuid::from_u128(77) }));
    let (mut lines, kept) = chain();
    let mut first = lines[0].clone();
    first.seq = 0;
    lines.insert(0, first);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(Fault::Altered { seq: 0, id: Uuid::from_u128(1) }));
}

#[test]
fn a_tail_that_was_cut_is_missed_by_the_end_or_by_what_was_mailed() {
    let (mut lines, kept) = chain();
    let mailed = anchor(5, hash_at(&lines, 5));
    lines.truncate(3);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(Fault::Cut { seq: 3 }));
    // Whoever cuts the end to fit is still found by what the owner has.
    let fitting = hash_anew(&mut lines);
    assert_eq!(walk(&lines, &fitting, Vec::new()), Ok(()));
    assert_eq!(walk(&lines, &fitting, vec![mailed]), Err(Fault::Cut { seq: 3 }));
}

#[test]
fn a_chain_that_was_written_anew_is_not_the_one_that_was_mailed() {
    let (mut lines, _) = chain();
    let mailed = anchor(4, hash_at(&lines, 4));
    lines[1].entry.action = "signed_out".to_owned();
    let anew = hash_anew(&mut lines);
    assert_eq!(walk(&lines, &anew, Vec::new()), Ok(()), "by itself it is a chain");
    assert_eq!(walk(&lines, &anew, vec![mailed]), Err(Fault::Rewritten { seq: 4 }));
}

#[test]
fn an_end_that_is_not_the_last_lines_is_found() {
    let (lines, kept) = chain();
    let other = Kept { hash: Some(vec![7; 32]), ..kept };
    assert_eq!(walk(&lines, &other, Vec::new()), Err(Fault::End { seq: 5 }));
}
