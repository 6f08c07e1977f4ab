import Backstitch
import Foundation

/// Decides conflicts in code: an object was changed here and on the server, and both changes cannot stay.
///
/// ```swift
/// .init(type: .sync, url: directory, options: [
///     .syncServerURL: "https://example.org",
///     .syncConflictResolutionPolicy: "serverWins",          // what no resolver decides
///     .syncConflictResolvers: [
///         "Note.body": { conflict in
///             .values(["body": try await mergedText(conflict.base, conflict.local, conflict.server)])
///         },
///         "Account": { _ in .clientWins },
///         "Card": { conflict in                               // the later of the two
///             (conflict.localDate ?? .distantPast) > (conflict.serverDate ?? .distantPast) ? .clientWins : .serverWins
///         },
///     ] as ConflictResolvers,
/// ])
/// ```
/// A resolver has the path of a property (`"Note.body"`) or the name of an entity. The entity's resolver decides the
/// properties without a resolver of their own, and deletions. The policy decides conflicts without a resolver.
///
/// The store is not locked while a resolver works, so the resolver may read and save. If the object changes meanwhile,
/// the resolver is asked again. After a few such changes the object waits for the next cycle. If a resolver throws, the
/// object stays as it is here and on the server. Its change is blocked, with the error as reason
/// (``SyncBlocked/changes()``), until it is tried again, changed or discarded. The cycle waits for resolvers,
/// and then goes on with the other changes.
public struct ConflictResolvers: Sendable, ExpressibleByDictionaryLiteral {
    /// Receives a conflict and returns the decision.
    public typealias Resolver = @Sendable (ConflictToResolve) async throws -> ConflictResolution

    let byPath: [String: Resolver]

    /// Creates resolvers by entity (`"Note"`) or property (`"Note.body"`).
    public init(_ resolvers: [String: Resolver]) { byPath = resolvers }

    /// Creates resolvers by entity (`"Note"`) or property (`"Note.body"`). Of two for one path, the last counts.
    public init(dictionaryLiteral elements: (String, Resolver)...) {
        byPath = Dictionary(elements, uniquingKeysWith: { $1 })
    }
}
