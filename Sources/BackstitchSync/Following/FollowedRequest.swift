public import Backstitch

/// A part of the public database that a store follows: the objects of an entity for which a predicate holds.
public struct FollowedRequest: Sendable, Hashable {
    /// How far the store is with it.
    public enum State: Sendable, Hashable {
        /// Not everything that it asks for is here yet; the next sync goes on.
        case waiting
        /// Everything that it asked for at the last sync is here.
        case current
        /// The server does not answer it, for this reason. It is asked again every ten minutes; what is here of it
        /// stays as it is.
        case refused(reason: String)
    }

    /// The entity.
    public var entityName: String
    /// Which of its objects; nil for all.
    public var predicate: FetchPredicate?
    /// Whether objects of entities below it are followed too.
    public var includesSubentities: Bool
    /// How far the store is with it.
    public var state = State.waiting

    /// How many requests a store follows at most.
    public static let maximumCount = 20

    /// A part of the public database.
    public init(entityName: String, predicate: FetchPredicate? = nil, includesSubentities: Bool = true) {
        self.entityName = entityName
        self.predicate = predicate
        self.includesSubentities = includesSubentities
    }

    /// Whether both ask for the same.
    func isSame(as other: FollowedRequest) -> Bool {
        entityName == other.entityName && predicate == other.predicate
            && includesSubentities == other.includesSubentities
    }
}
