import Hummingbird

/// The place of assets' content: a folder beside the records, or a store of objects that several machines share.
///
/// Content is named by its checksum, so whatever has a name is right and never changes. A store may be behind a
/// network: no call is made from within a transaction of the storage.
protocol AssetContentStore: Sendable {
    /// The place of some content in words, for the log.
    func place(of name: AssetName) -> String

    /// Takes a file that has come whole and whose checksum is the one of the name. The content is durable, and has its
    /// name, when this returns; when it throws, the name has what it had before. The file stays with the caller.
    func adopt(_ received: ReceivedFile, as name: AssetName) async throws

    /// Whether there is such content.
    func has(_ name: AssetName) async throws -> Bool

    /// The bytes of a range, to be sent as they are read; nil when there is no such content.
    func body(of name: AssetName, _ range: ClosedRange<Int64>) async throws -> ResponseBody?

    /// Removes content. One that is gone already is no error, and one that cannot be removed keeps no other.
    func remove(_ names: [AssetName]) async throws

    /// Whether it is time to look for what crashes have left; true once in a while.
    ///
    /// - Parameter time: The uptime.
    func beginsSweep(at time: Int64) -> Bool

    /// Removes drafts that a crash has left, and calls `body` with the names of content that is old enough to have a
    /// row, some at a time.
    func sweep(at time: Int64, _ body: ([AssetName]) async throws -> Void) async throws
}
