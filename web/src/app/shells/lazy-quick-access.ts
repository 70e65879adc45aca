// Search, "+ New" and shortcuts as a chunk that is not fetched ahead: a start without a network does without them.
import { lazyOptional } from '@/lib/lazy-optional'

export const QuickAccess = lazyOptional(async () => (await import('./quick-access/quick-access')).QuickAccess)
export const QuickAccessBar = lazyOptional(async () => (await import('./quick-access/quick-access')).QuickAccessBar)
