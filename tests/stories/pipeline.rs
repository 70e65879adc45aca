//! The stages of a lead from New to Paid: what moves it, what does not, who did, and undo.

use chrono::Duration;
use serde_json::json;
use shared::{
    conflicts::ConflictCode,
    domain::{
        intake::lead::PipelineStage,
        tenancy::activity_log::{ActivityActor, EventKind},
        work::{
            activity::{self, EventView, UndoResult},
            pipeline::{self, StageCause},
        },
    },
    platform::{
        db::q,
        error::{Error, Result},
        id::{EventId, LeadId},
    },
};
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
};
use uuid::Uuid;

fn olive(shop: &Shop) -> ActivityActor {
    ActivityActor::Account { id: shop.owner().id, name: "Olive Owner".to_owned() }
}

fn conflict_code<T>(done: Result<T>) -> Option<ConflictCode> {
    match done {
        Err(Error::Conflict(why)) => Some(why.conflict_code()),
        _ => None,
    }
}

async fn moves(
    app: &TestApp,
    shop: &Shop,
    lead: LeadId,
    to: PipelineStage,
    why: (StageCause, Option<&str>),
) -> Result<Option<EventId>> {
    let by = olive(shop);
    app.within(async |tx| pipeline::advance_stage(tx, &app.origin, shop.id(), lead, to, why.0, &by, why.1).await).await
}

async fn undoes(app: &TestApp, shop: &Shop, event: EventId) -> Result<UndoResult> {
    let by = olive(shop);
    app.within(async |tx| activity::undo_event(tx, &app.origin, shop.id(), event, &by).await).await
}

async fn stage(app: &TestApp, shop: &Shop, lead: LeadId) -> PipelineStage {
    app.lead(shop.id(), lead).await.summary.stage
}

async fn put(app: &TestApp, shop: &Shop, lead: LeadId, stage: PipelineStage) {
    let sql = "UPDATE lead SET stage = $3 WHERE org_id = $1 AND id = $2";
    app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), lead, stage)?)).await.unwrap();
}

async fn events(app: &TestApp, shop: &Shop, lead: LeadId) -> Vec<EventView> {
    activity::list_lead_events(&mut app.db.acquire_reader().await.unwrap(), shop.id(), lead).await.unwrap()
}

async fn has_job(app: &TestApp, shop: &Shop, lead: LeadId, number: i64) {
    let sql = "INSERT INTO job (org_id, id, number, lead_id, customer_id, service, status, priority, duration_minutes,
            arrival_minutes, materials, required_photos, source, version, plan, listed_at, search, created_at, updated_at)
        SELECT $1, $2, $3, id, customer_id, 'plumbing', 'in_progress', 'standard', 120, 120, '[]', 'none', 'Website', 1, 1, $4,
            '', $4, $4 FROM lead WHERE org_id = $1 AND id = $5";
    let id = Uuid::from_u128(u128::try_from(number).unwrap());
    app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), id, number, app.now(), lead)?)).await.unwrap();
}

both_databases! {
    async fn lead_stage_changes_follow_transition_table_and_write_one_event(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let mut move_count = 0;
        for from in PipelineStage::ALL {
            for to in PipelineStage::ALL {
                for cause in StageCause::ALL {
                    put(app, &shop, lead, from).await;
                    let context = format!("{from:?} to {to:?} by {cause:?}");
                    let moved = moves(app, &shop, lead, to, (cause, Some("as the table says"))).await;
                    let now = stage(app, &shop, lead).await;
                    match (from.check_move_to(to, cause), moved) {
                        (Ok(()), Ok(Some(_))) => {
                            move_count += 1;
                            assert_eq!(now, to, "{context}");
                        }
                        (Err(_), Ok(None)) if cause != StageCause::ByHand => assert_eq!(now, from, "{context}"),
                        (Err(refused), Err(Error::Conflict(why))) if cause == StageCause::ByHand => {
                            assert_eq!((now, why.conflict_code()), (from, refused.0), "{context}");
                        }
                        (_, other) => panic!("{context}: {other:?}"),
                    }
                }
            }
        }
        let events = events(app, &shop, lead).await;
        assert_eq!((events.len(), move_count), (25, 25));
        for event in events {
            assert_eq!((event.kind, event.by.as_str()), (EventKind::StageChanged, "Olive Owner"));
            let cell = (&event.detail["from"], &event.detail["to"]);
            assert_eq!(event.title, format!("Moved from {} to {}", cell.0.as_str().unwrap(), cell.1.as_str().unwrap()));
        }
    }

    async fn move_back_by_hand_needs_reason_and_move_to_done_needs_finished_jobs(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        moves(app, &shop, lead, PipelineStage::Scheduled, (StageCause::ByHand, None)).await.unwrap().unwrap();
        for reason in [None, Some(""), Some(" no ")] {
            let refused = moves(app, &shop, lead, PipelineStage::Quoted, (StageCause::ByHand, reason)).await;
            assert!(matches!(&refused, Err(Error::Invalid(fields)) if fields.0.contains_key("reason")), "{refused:?}");
        }
        has_job(app, &shop, lead, 1007).await;
        let refused = moves(app, &shop, lead, PipelineStage::Done, (StageCause::ByHand, None)).await;
        assert!(matches!(&refused, Err(Error::Conflict(why)) if why.to_string() == "Job 1007 is not done yet."), "{refused:?}");
        moves(app, &shop, lead, PipelineStage::Quoted, (StageCause::ByHand, Some("she wants to think"))).await.unwrap().unwrap();
        let last = events(app, &shop, lead).await.into_iter().find(|event| event.detail["to"] == "Quoted").unwrap();
        assert_eq!(last.detail["reason"], "she wants to think");
        let other = app.org("Best Roofing").await;
        let refused = moves(app, &other, lead, PipelineStage::Scheduled, (StageCause::ByHand, None)).await;
        assert!(matches!(refused, Err(Error::NotFound)), "{refused:?}");
    }

    async fn move_by_hand_can_be_undone_within_a_minute_newest_first(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let first = moves(app, &shop, lead, PipelineStage::Quoted, (StageCause::ByHand, None)).await.unwrap().unwrap();
        app.advance(Duration::seconds(20));
        let second = moves(app, &shop, lead, PipelineStage::Scheduled, (StageCause::ByHand, None)).await.unwrap().unwrap();
        app.advance(Duration::seconds(20));
        let refused = undoes(app, &shop, first).await;
        assert!(matches!(&refused, Err(Error::Conflict(why)) if why.conflict_code() == ConflictCode::NewerChangeExists), "{refused:?}");
        undoes(app, &shop, second).await.unwrap();
        assert_eq!(stage(app, &shop, lead).await, PipelineStage::Quoted);
        assert_eq!(conflict_code(undoes(app, &shop, second).await), Some(ConflictCode::AlreadyUndone));
        app.advance(Duration::seconds(20));
        undoes(app, &shop, first).await.unwrap();
        assert_eq!(stage(app, &shop, lead).await, PipelineStage::New);
        let third = moves(app, &shop, lead, PipelineStage::Quoted, (StageCause::ByHand, None)).await.unwrap().unwrap();
        app.advance(Duration::milliseconds(60_001));
        assert_eq!(conflict_code(undoes(app, &shop, third).await), Some(ConflictCode::UndoTooLate));
        assert_eq!(stage(app, &shop, lead).await, PipelineStage::Quoted);
        let undone: Vec<bool> = events(app, &shop, lead).await.iter().map(|event| event.undone).collect();
        assert_eq!(undone, [true, true, false]);
        let other = app.org("Best Roofing").await;
        assert!(matches!(undoes(app, &other, third).await, Err(Error::NotFound)));
    }

    async fn move_by_rule_cannot_be_undone(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        moves(app, &shop, lead, PipelineStage::Quoted, (StageCause::EstimateSent, None)).await.unwrap().unwrap();
        let paid = moves(app, &shop, lead, PipelineStage::Paid, (StageCause::PaidInFull, None)).await.unwrap().unwrap();
        assert_eq!(conflict_code(undoes(app, &shop, paid).await), Some(ConflictCode::NotUndoable));
        let before = pipeline::find_stage_before_paid(&mut app.db.acquire_reader().await.unwrap(), shop.id(), lead).await.unwrap();
        assert_eq!(before, PipelineStage::Quoted);
        let seen = events(app, &shop, lead).await;
        assert!(seen.iter().any(|event| event.detail == json!({"from": "Quoted", "to": "Paid", "cause": "paid_in_full", "reason": null})));
    }
}
