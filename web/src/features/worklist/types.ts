import type { Schema } from '@/api/client'
import type { operations } from '@/api/schema'

export type WorkItem = Schema['WorkItem']
export type WorkItemKind = Schema['WorkItemKind']
export type WorkItemSource = Schema['WorkItemSource']
export type WorkItemAction = Schema['WorkItemAction']
export type WorkItemAutoReply = Schema['WorkItemAutoReply']
export type WorkCount = Schema['WorklistCount']
export type WorkView = NonNullable<NonNullable<operations['listWorklist']['parameters']['query']>['view']>
export type WorkAssignee = NonNullable<NonNullable<operations['listWorklist']['parameters']['query']>['assignee']>

/** What takes an item off the list. */
export type WorkMark = { item: WorkItem } & ({ as: 'done' } | { as: 'snoozed'; until: string })
export type WorkAssignment = { item: WorkItem; to: { id: string; name: string } | null }
