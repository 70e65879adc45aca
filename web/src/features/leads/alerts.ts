// Alerts as the API gives them: what must be heard of, and whether somebody has.
import type { Client } from 'openapi-fetch'
import { api } from '@/api/client'

export type Alert = {
  id: string
  leadId: string | null
  kind: string
  title: string
  body: string
  isUrgent: boolean
  createdAt: string
  seenAt: string | null
  /** When it goes on to the next way or person unless somebody sees it. */
  climbsAt: string | null
  step: number
}

type Json<T> = { content: { 'application/json': T } }

type AlertPaths = {
  '/api/alerts': { get: { parameters: { query?: never }; responses: { 200: Json<Alert[]> } } }
  '/api/alerts/{id}/seen': { post: { parameters: { path: { id: string } }; responses: { 200: Json<Alert> } } }
}

export const alertsApi = api as unknown as Client<AlertPaths>
