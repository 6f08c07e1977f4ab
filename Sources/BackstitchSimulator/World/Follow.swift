import Backstitch
import BackstitchSync

/// A part of the public database that devices of a world follow. It exists twice: as the devices' request, and as the
/// checkers' own implementation.
package enum Follow: String, CaseIterable, Sendable {
    case all = ""
    case low = "rank < 200000"
    case middle = "rank >= 100000 AND rank < 300000"
    case sport = "topic == 'sport'"
    case newsOrWeather = "topic IN {'news', 'weather'} AND rank < 300000"
    case news = "topic BEGINSWITH 'news'"
    case ofBob = "author == 'bob'"

    /// The topics of notices.
    static let topics = ["sport", "news", "news of old", "weather"]
    /// The limit of ranks. Followed parts tell its four quarters apart.
    static let ranks: Int64 = 400_000

    /// The request of a device that follows it.
    var request: FollowedRequest {
        get throws {
            guard self != .all else { return FollowedRequest(entityName: SimulationModel.notice) }
            let whole = try FetchRequest<ManagedObject>(entityName: SimulationModel.notice, where: rawValue)
            return FollowedRequest(entityName: SimulationModel.notice, predicate: whole.predicate)
        }
    }

    /// Whether an object with these values belongs to the part.
    package func asks(for object: [String: String]) -> Bool {
        let rank = object["rank"].flatMap(Int64.init), topic = object["topic"] ?? ""
        return switch self {
        case .all: true
        case .low: rank.map { $0 < 200_000 } ?? false
        case .middle: rank.map { (100_000..<300_000).contains($0) } ?? false
        case .sport: topic == "sport"
        case .newsOrWeather: ["news", "weather"].contains(topic) && rank.map { $0 < 300_000 } ?? false
        case .news: topic.hasPrefix("news")
        case .ofBob: object["author"] == "bob"
        }
    }
}
