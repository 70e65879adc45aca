import type { ReactNode } from 'react'

export function LinkRows({ children }: { children: ReactNode }) {
  return <ul className="grid gap-2">{children}</ul>
}

/** The link in it covers the row. */
export function LinkRow({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <li className="relative flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5 rounded-field border border-primary/22 px-3 py-2 hover:bg-primary/8">
      <span className="min-w-0 wrap-anywhere">{children}</span>
      {aside}
    </li>
  )
}
