// What signing out removes from this device: every cache that holds a customer's data.

/** Deletes what the app keeps on this device about the signed-in user's org. */
export async function wipe(): Promise<void> {
  const databases = await indexedDB.databases()
  for (const { name } of databases) if (name) indexedDB.deleteDatabase(name)
  sessionStorage.clear()
}
