//! Faults found when a line of the chain, or its end, is changed.

use chrono::Duration;

use super::*;

const ORG: OrgId = OrgId(Uuid::from_u128(1));

fn chain() -> (Vec<ChainedEntry>, ChainState) {
    let mut hash = BEGINNING;
    let lines: Vec<ChainedEntry> = (1..=5_u8)
        .map(|seq| {
            let entry = AuditEntry {
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
                origin_salt: None,
                origin_hash: None,
            };
            hash = entry.chain_hash(&hash, i64::from(seq));
            ChainedEntry { entry, seq: i64::from(seq), hash: Some(hash.to_vec()) }
        })
        .collect();
    let kept = ChainState { seq: Some(5), hash: Some(hash.to_vec()), last: Some(5), lives: true, seen: Some(5) };
    (lines, kept)
}

fn hash_at(lines: &[ChainedEntry], seq: usize) -> ChainHash {
    parse_hash(lines[seq - 1].hash.as_deref().unwrap()).unwrap()
}

fn anchor(seq: i64, hash: ChainHash) -> AuditAnchor {
    AuditAnchor { org: ORG, seq, hash }
}

fn walk(lines: &[ChainedEntry], kept: &ChainState, anchors: Vec<AuditAnchor>) -> Result<(), AuditFault> {
    let mut walk = ChainVerifier::new(anchors);
    lines.iter().try_for_each(|line| walk.verify_entry(line))?;
    walk.verify_end(kept)
}

/// A knowledgeable forger: recomputes all hashes from the first line on.
fn hash_anew(lines: &mut [ChainedEntry]) -> ChainState {
    let mut hash = BEGINNING;
    for (at, line) in lines.iter_mut().enumerate() {
        line.seq = i64::try_from(at).unwrap() + 1;
        hash = line.entry.chain_hash(&hash, line.seq);
        line.hash = Some(hash.to_vec());
    }
    let last = lines.last().map(|line| line.seq);
    ChainState { seq: last, hash: Some(hash.to_vec()), last, lives: true, seen: None }
}

#[test]
fn untouched_chain_passes_verification() {
    let (lines, kept) = chain();
    let third = anchor(3, hash_at(&lines, 3));
    assert_eq!(walk(&lines, &kept, vec![third, anchor(5, hash_at(&lines, 5))]), Ok(()));
    assert_eq!(walk(&[], &ChainState::default(), Vec::new()), Ok(()), "nothing was written yet");
}

#[test]
fn missing_lines_of_live_business_are_reported_as_cut() {
    let gone = ChainState { lives: true, ..ChainState::default() };
    assert_eq!(walk(&[], &gone, Vec::new()), Err(AuditFault::Cut { seq: 0 }));
    let (mut lines, kept) = chain();
    lines.truncate(2);
    let anew = ChainState { seen: kept.seen, ..hash_anew(&mut lines) };
    assert_eq!(
        walk(&lines, &anew, Vec::new()),
        Err(AuditFault::Cut { seq: 2 }),
        "it began anew since it was looked at"
    );
    assert_eq!(AuditFault::Cut { seq: 0 }.to_message(), "The log is gone: every line of it was removed.");
}

#[test]
fn first_altered_line_is_reported() {
    let (mut lines, kept) = chain();
    lines[1].entry.action = "signed_out".to_owned();
    lines[3].entry.ip = Some("192.0.2.7".to_owned());
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(AuditFault::Altered { seq: 2, id: Uuid::from_u128(2) }));
    let (mut lines, kept) = chain();
    lines[2].hash = None;
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(AuditFault::Altered { seq: 3, id: Uuid::from_u128(3) }));
}

#[test]
fn removed_line_is_reported_missing() {
    let (mut lines, kept) = chain();
    lines.remove(2);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(AuditFault::Missing { seq: 3 }));
    lines.remove(0);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(AuditFault::Missing { seq: 1 }));
}

#[test]
fn swapped_lines_are_reported_as_altered() {
    let (mut lines, kept) = chain();
    (lines[1].seq, lines[3].seq) = (4, 2);
    lines.swap(1, 3);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(AuditFault::Altered { seq: 2, id: Uuid::from_u128(4) }));
}

#[test]
fn inserted_line_is_reported_as_altered() {
    let (mut lines, kept) = chain();
    let mut put_in = lines[1].clone();
    put_in.entry.id = Uuid::from_u128(77);
    put_in.seq = 3;
    for line in &mut lines[2..] {
        line.seq += 1;
    }
    lines.insert(2, put_in);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(AuditFault::Altered { seq: 3, id: Uuid::from_u128(77) }));
    let (mut lines, kept) = chain();
    let mut first = lines[0].clone();
    first.seq = 0;
    lines.insert(0, first);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(AuditFault::Altered { seq: 0, id: Uuid::from_u128(1) }));
}

#[test]
fn truncated_tail_is_detected_by_stored_end_or_mailed_anchor() {
    let (mut lines, kept) = chain();
    let mailed = anchor(5, hash_at(&lines, 5));
    lines.truncate(3);
    assert_eq!(walk(&lines, &kept, Vec::new()), Err(AuditFault::Cut { seq: 3 }));
    // Even a recomputed end is caught by the owner's anchor.
    let fitting = hash_anew(&mut lines);
    assert_eq!(walk(&lines, &fitting, Vec::new()), Ok(()));
    assert_eq!(walk(&lines, &fitting, vec![mailed]), Err(AuditFault::Cut { seq: 3 }));
}

#[test]
fn rewritten_chain_is_detected_by_mailed_anchor() {
    let (mut lines, _) = chain();
    let mailed = anchor(4, hash_at(&lines, 4));
    lines[1].entry.action = "signed_out".to_owned();
    let anew = hash_anew(&mut lines);
    assert_eq!(walk(&lines, &anew, Vec::new()), Ok(()), "by itself it is a chain");
    assert_eq!(walk(&lines, &anew, vec![mailed]), Err(AuditFault::Rewritten { seq: 4 }));
}

#[test]
fn stored_end_differing_from_last_line_is_reported() {
    let (lines, kept) = chain();
    let other = ChainState { hash: Some(vec![7; 32]), ..kept };
    assert_eq!(walk(&lines, &other, Vec::new()), Err(AuditFault::End { seq: 5 }));
}
