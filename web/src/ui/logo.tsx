// The mark: a toolbox in neon tube, and the name.
export function Logo() {
  return (
    <span className="flex items-center gap-2.5 font-semibold">
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-8 shrink-0">
        <rect x="3" y="11" width="26" height="16" rx="3.5" fill="none" className="stroke-primary" strokeWidth="2" />
        <path d="M11 11V8.5A2.5 2.5 0 0 1 13.5 6h5A2.5 2.5 0 0 1 21 8.5V11" fill="none" className="stroke-primary" strokeWidth="2" />
        <path d="M3 18h8.5m9 0H29" fill="none" className="stroke-primary" strokeWidth="2" />
        <rect x="11.5" y="15" width="9" height="6" rx="1.5" fill="none" className="stroke-secondary" strokeWidth="2" />
      </svg>
      <span className="text-crew tracking-tight">Toolbox</span>
    </span>
  )
}
