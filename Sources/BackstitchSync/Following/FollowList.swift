import Backstitch
import Foundation

/// The requests that a store follows, as it keeps them.
struct FollowList: Sendable {
    var requests: [FollowedRequest] = []

    fileprivate struct Kept: Codable {
        var entity: String
        var predicate: FetchPredicate?
        var subentities: Bool
    }
}

extension FollowList: SyncPropertyValue {
    init?(storedForm: Data) throws {
        requests = try JSONDecoder().decode([Kept].self, from: storedForm).map {
            FollowedRequest(entityName: $0.entity, predicate: $0.predicate, includesSubentities: $0.subentities)
        }
    }

    var storedForm: Data? {
        get throws {
            guard !requests.isEmpty else { return nil }
            return try JSONEncoder().encode(
                requests.map {
                    Kept(entity: $0.entityName, predicate: $0.predicate, subentities: $0.includesSubentities)
                })
        }
    }
}

extension SyncProperty where Value == FollowList {
    /// The requests that are followed. They are the program's word, and outlast resets and another user's sign-in.
    static var followed: Self { Self(name: "sync.followed") }
}

extension JournalReading {
    /// The requests that the store follows.
    func followedRequests() throws -> [FollowedRequest] { try value(of: .followed)?.requests ?? [] }
}
