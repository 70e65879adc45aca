// Draft that follows saved values until edited, and reports itself dirty.
import { useState } from 'react'
import { useReportDirty } from '@/lib/dirty-forms'

/** Compared as JSON, as sent to the server. */
export function useSettingsDraft<T>(saved: T) {
  const [changed, setChanged] = useState<{ value: T } | null>(null)
  const draft = changed ? changed.value : saved
  const isDirty = changed !== null && JSON.stringify(changed.value) !== JSON.stringify(saved)
  useReportDirty(isDirty)
  return { draft, isDirty, change: (value: T) => setChanged({ value }), forget: () => setChanged(null) }
}
