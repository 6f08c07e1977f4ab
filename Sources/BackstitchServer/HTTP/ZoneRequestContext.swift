import Foundation
import Hummingbird
import NIOCore

/// The context of one request: Hummingbird's part, and the connection.
struct ZoneRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
