// The sending of the outbox, for tests of features that know no crew.
export { Component as OutboxSync } from '@/features/crew/outbox-sync'
