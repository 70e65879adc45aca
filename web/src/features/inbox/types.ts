import type { Schema } from '@/api/client'
import type { operations } from '@/api/schema'

export type Thread = Schema['Thread']
export type ThreadFilter = NonNullable<NonNullable<operations['listThreads']['parameters']['query']>['filter']>
export type ThreadChange = Schema['ThreadChange']

export type Message = Schema['Message']
export type Call = Schema['CallView']

export type ConversationPage = Schema['Conversation']
export type ConversationItem = Schema['ConversationItem']
export type MessageItem = Extract<ConversationItem, { type: 'message' }>
export type TouchItem = Extract<ConversationItem, { type: 'touch' }>

export type CustomerCard = Schema['CustomerCard']
export type NewMessage = Schema['MessageRequest']
export type CannedReply = Schema['CannedReply']
