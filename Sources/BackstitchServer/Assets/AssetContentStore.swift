import Hummingbird

/// The store for the content of assets: a folder beside the database, or an object store shared by several machines.
///
/// Content is named by its checksum, so content under a name is always right and never changes. The store may be behind
/// a network. So it is never called within a transaction of the storage.
protocol AssetContentStore: Sendable {
    /// The place of some content as text, for the log.
    func place(of name: AssetName) -> String

    /// Stores a complete file whose checksum is the one of the name. The caller keeps the file.
    ///
    /// When it returns, the content is durable under its name. When it throws, nothing under that name has changed.
    func adopt(_ received: ReceivedFile, as name: AssetName) async throws

    /// Whether content with this name exists.
    func has(_ name: AssetName) async throws -> Bool

    /// The bytes of a range, read while they are sent; nil if the content does not exist.
    func body(of name: AssetName, _ range: ClosedRange<Int64>) async throws -> ResponseBody?

    /// Removes content. Missing content is not an error. If some content cannot be removed, the rest is removed anyway.
    func remove(_ names: [AssetName]) async throws

    /// Whether it is time to look for leftovers of crashes. The answer is true once in a while.
    ///
    /// - Parameter time: The uptime.
    func beginsSweep(at time: Int64) -> Bool

    /// Removes the drafts left by a crash. Calls `body` with the names of content old enough to have a row, some at a
    /// time.
    func sweep(at time: Int64, _ body: ([AssetName]) async throws -> Void) async throws
}
