// The way to the inbox's routes.
import type { Client } from 'openapi-fetch'
import { api } from '@/api/client'
import type { InboxPaths } from './types'

export const inboxApi = api as unknown as Client<InboxPaths>
