import type { Schema } from '@/api/client'

export type ContactProposal = Schema['ContactProposal']
export type CustomerDuplicate = Schema['CustomerDuplicate']
export type ContactPointProof = Schema['ContactPointProof']
