public import Backstitch

/// A part of the public database followed by a store: the objects of an entity that fulfil a predicate.
public struct FollowedRequest: Sendable, Hashable {
    /// The progress of a followed request.
    public enum State: Sendable, Hashable {
        /// Some of the requested objects are not here yet; the next sync goes on.
        case waiting
        /// All objects requested at the last sync are here.
        case current
        /// The server refuses the request, for this reason. It is asked again every ten minutes. The objects already
        /// here stay unchanged.
        case refused(reason: String)
    }

    /// The name of the entity.
    public var entityName: String
    /// The condition for the objects; nil for all objects.
    public var predicate: FetchPredicate?
    /// Whether objects of its subentities are followed too.
    public var includesSubentities: Bool
    /// The progress of the request.
    public var state = State.waiting

    /// The largest number of requests followed by a store.
    public static let maximumCount = 20

    /// Describes a part of the public database.
    public init(entityName: String, predicate: FetchPredicate? = nil, includesSubentities: Bool = true) {
        self.entityName = entityName
        self.predicate = predicate
        self.includesSubentities = includesSubentities
    }

    /// Whether both request the same objects.
    func isSame(as other: FollowedRequest) -> Bool {
        entityName == other.entityName && predicate == other.predicate
            && includesSubentities == other.includesSubentities
    }
}
