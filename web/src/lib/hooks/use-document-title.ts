import { useEffect } from 'react'

/** Sets `<title>` to "<title> · Toolbox" while mounted. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Toolbox`
  }, [title])
}
