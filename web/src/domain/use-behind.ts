// What the address narrows a list to beside its own filters, and the way back to the whole list.
import { useSearchParams } from 'react-router-dom'
import { BEHIND } from './behind'

/** Read anew from every address, so that Back and a reload bring it again. */
export function useBehind<T>(read: (params: URLSearchParams) => T) {
  const [params, setParams] = useSearchParams()
  const clear = () =>
    setParams((before) => {
      for (const name of BEHIND) before.delete(name)
      return before
    })
  return { behind: read(params), clear }
}
