// Opens "Add a call" with what another app shared with this one (web manifest, `share_target`).
import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { parseSharedCall, SHARE_PARAMS } from '@/features/quick-add/shared-call'
import { quickAccess } from './quick-access-store'

export function useSharedCall(isOffice: boolean): void {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    const params = new URLSearchParams(search)
    const texts = SHARE_PARAMS.map((name) => params.get(name))
    if (texts.every((text) => text === null)) return
    // The number must not stay in the address or the history.
    for (const name of SHARE_PARAMS) params.delete(name)
    void navigate({ pathname, search: params.toString() }, { replace: true })
    const words = { phone: '', name: '', notes: texts.filter(Boolean).join('\n') }
    const shared = parseSharedCall(...texts) ?? words
    if (isOffice) quickAccess.open({ part: 'record', record: 'lead', shared })
  }, [isOffice, pathname, search, navigate])
}
