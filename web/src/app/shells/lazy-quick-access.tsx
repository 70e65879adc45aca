// Search, "+ New" and shortcuts as a chunk that is not fetched ahead: a start without a network does without them.
import { lazy } from 'react'

const Nothing = () => null
const load = () => import('./quick-access/quick-access').catch(() => undefined)

export const QuickAccess = lazy(async () => ({ default: (await load())?.QuickAccess ?? Nothing }))
export const QuickAccessBar = lazy(async () => ({ default: (await load())?.QuickAccessBar ?? Nothing }))
