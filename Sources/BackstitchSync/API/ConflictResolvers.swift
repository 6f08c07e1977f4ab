public import Backstitch
public import Foundation

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

/// A conflict as a resolver sees it.
///
/// The values are those of attributes and to-one relationships (as `.object`); to-many relationships merge by
/// themselves.
public struct ConflictToResolve: Sendable, Hashable {
    /// The object.
    public var objectID: ObjectID
    /// The kind of conflict, by what the two sides have done.
    public var kind: SyncConflict.Kind
    /// The properties to decide about, in order of names; of a deletion, those that were changed here.
    public var keys: [String]
    /// The values on which both sides last agreed. Null for objects that were made on both sides; empty when the object
    /// was deleted here.
    public var base: [String: Value]
    /// The values here; empty when the object was deleted here.
    public var local: [String: Value]
    /// The server's values; empty when the record was deleted there.
    public var server: [String: Value]
    /// When the properties were last saved here, by this device's clock: which may be wrong. Nil where history does not
    /// tell any more.
    public var localDate: Date?
    /// When the server's record was last changed, by the server's clock; nil for one that is gone, and where the server
    /// does not say.
    public var serverDate: Date?
}

/// A resolver's decision about a conflict.
public enum ConflictResolution: Sendable, Hashable {
    /// The server's change stays, as under the policy of that name.
    case serverWins
    /// The change here stays, as under the policy of that name.
    case clientWins
    /// These values take the place of both sides', here and on the server. Only for ``SyncConflict/Kind/edits``; keys
    /// that are left out go by the policy.
    case values([String: Value])
    /// Both stay: the object has the server's values, and a new object, a copy of it with a key of its own, has those
    /// that were saved here; what is not in conflict both have. ``SyncConflict/copy`` names it.
    ///
    /// ```swift
    /// "Note": { _ in .keepBoth }
    /// ```
    /// The copy has the object's attributes and the links that lead from it, but for relationships whose other end may
    /// have one object only, and for assets whose bytes are not on this device. Objects that lead to it, its children
    /// for instance, stay with the original. Of a deletion and an edit the edit stays. For an entity with unique
    /// constraints or a natural key there can be no copy: the change here is blocked with that reason.
    case keepBoth
    /// As the store's policy has it.
    case policy
}
