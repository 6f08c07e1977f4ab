import Backstitch
import Foundation

/// Decides in code what stays where an object was changed here and on the server, and the changes cannot both stay.
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
/// A resolver stands under the path of a property (`"Note.body"`), or under an entity's name: that one is asked about
/// the properties that have none of their own, and about deletions. The policy decides conflicts that no resolver
/// decides.
///
/// The store is not locked while a resolver thinks: it may read and save. If the object changes meanwhile, the resolver
/// is asked anew, and after a few times the object waits for the next cycle. When a resolver throws, nothing is
/// decided: the object stays as it is here and on the server, and its change is blocked with the error as reason
/// (``SyncController/blockedChanges()``) until it is tried again, changed or given up. The cycle waits for resolvers,
/// and goes on with everything else after it.
public struct ConflictResolvers: Sendable, ExpressibleByDictionaryLiteral {
    /// Looks at a conflict, and says what shall be.
    public typealias Resolver = @Sendable (ConflictToResolve) async throws -> ConflictResolution

    let byPath: [String: Resolver]

    /// Resolvers by entity (`"Note"`) or property (`"Note.body"`).
    public init(_ resolvers: [String: Resolver]) { byPath = resolvers }

    /// Resolvers by entity (`"Note"`) or property (`"Note.body"`); of two for one path the last counts.
    public init(dictionaryLiteral elements: (String, Resolver)...) {
        byPath = Dictionary(elements, uniquingKeysWith: { $1 })
    }
}
