import Backstitch
import BackstitchSync

/// A part of the public database that devices of a world follow: as they ask for it, and again as the checkers
/// understand it.
package enum Follow: String, CaseIterable, Sendable {
    case all = ""
    case low = "rank < 200000"
    case middle = "rank >= 100000 AND rank < 300000"
    case sport = "topic == 'sport'"
    case newsOrWeather = "topic IN {'news', 'weather'} AND rank < 300000"
    case news = "topic BEGINSWITH 'news'"
    case ofBob = "author == 'bob'"

    /// The topics of what is published.
    static let topics = ["sport", "news", "news of old", "weather"]
    /// Ranks are below, and each four parts of it are told apart.
    static let ranks: Int64 = 400_000

    /// The request for it.
    var request: FollowedRequest {
        get throws {
            guard self != .all else { return FollowedRequest(entityName: SimulationModel.notice) }
            let whole = try FetchRequest<ManagedObject>(entityName: SimulationModel.notice, where: rawValue)
            return FollowedRequest(entityName: SimulationModel.notice, predicate: whole.predicate)
        }
    }

    /// Whether it asks for an object of these values.
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
