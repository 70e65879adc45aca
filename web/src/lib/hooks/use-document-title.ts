import { useEffect } from 'react'

/** Sets `<title>` to "<title> · <site>" while mounted; an empty site is left out. */
export function useDocumentTitle(title: string, site = 'Toolbox'): void {
  useEffect(() => {
    document.title = site ? `${title} · ${site}` : title
  }, [title, site])
}
