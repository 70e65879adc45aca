// Drilldown of the URL and its reset.
import { useSearchParams } from 'react-router-dom'
import { DRILLDOWN_PARAMS } from './drilldown'

export function useDrilldown<T>(read: (params: URLSearchParams) => T) {
  const [params, setParams] = useSearchParams()
  const clear = () =>
    setParams((before) => {
      for (const name of DRILLDOWN_PARAMS) before.delete(name)
      return before
    })
  return { drilldown: read(params), clear }
}
