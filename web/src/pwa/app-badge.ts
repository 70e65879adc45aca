// The number on the app's icon. Browsers that have no such number show none.

/** Marks the icon with `count`; nothing to count, no mark. */
export async function markIcon(count: number): Promise<void> {
  try {
    await (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())
  } catch (error) {
    // An app that is not installed, or may not tell anything, has no icon to mark.
    if (!(error instanceof DOMException)) throw error
  }
}
