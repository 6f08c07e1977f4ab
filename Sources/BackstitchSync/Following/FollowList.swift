import Backstitch
import Foundation

/// The stored list of requests followed by a store.
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
    /// The followed requests. They are the program's decision, and survive resets and the sign-in of another user.
    static var followed: Self { Self(name: "sync.followed") }
}

extension JournalReading {
    /// The requests followed by the store.
    func followedRequests() throws -> [FollowedRequest] { try value(of: .followed)?.requests ?? [] }
}
