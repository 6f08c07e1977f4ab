import Backstitch

/// A point, for the transformable attribute.
public struct Point: Codable, Hashable, Sendable {
    /// The horizontal coordinate of the point.
    public var x: Double
    /// The vertical coordinate of the point.
    public var y: Double
    /// Makes a point of two coordinates.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
