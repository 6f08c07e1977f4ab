import Backstitch
import BackstitchSQL
import BackstitchSupport
import CloudWire
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// A request and the parts needed by its handlers.
struct IncomingRequest: Sendable {
    var request: Request
    var parameters: QueryString
    var context: ZoneRequestContext

    /// The address of the caller's machine, from a trusted proxy or from the connection. For IPv6 it is the network,
    /// since one caller has all addresses of a network.
    var address: String
}
