import type { Schema } from '@/api/client'

export type ContactProposal = Schema['ContactProposal']
export type ContactPointProof = Schema['ContactPointProof']
