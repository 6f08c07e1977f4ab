import ArgumentParser
import BackstitchServer
import Foundation
import Logging
import UnixSignals

/// The levels of swift-log, as values of an option.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}
